import { register } from 'tsx/esm/api';

// Once for a process: from here on, `import()` reads TypeScript.
register();
