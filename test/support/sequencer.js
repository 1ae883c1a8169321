import Sequencer from '@jest/test-sequencer';
