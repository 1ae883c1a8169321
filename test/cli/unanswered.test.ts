import { call } from './call.ts';
import { json, useScript, type Answer } from './script-server.ts';

const away: Answer = (request) => request.socket.destroy();
const refused = json(409, { status: 409, code: 'conflict', detail: 'No.', hint: '' });

describe('what is made, where the answer does not come', () => {
  const server = useScript();
  const make = (answer: Answer, line: string) => {
    server.play(answer);
    return call(line.split(' '), { env: server.environment, sleep: async () => undefined });
  };

  it.each([
    [
      'ticket create --owner ann@example.com --title x',
      'the ticket was made',
      '`airline ticket list --owner ann@example.com` shows whether it was. If not, make the same call again.',
    ],
    [
      'webhook add https://lander.example.org/hook',
      'the webhook was added',
      '`airline webhook list` shows whether it was. If so, its secret is lost: delete it with `airline webhook delete` and its id. Then make the same call again.',
    ],
    [
      'token create --name lander --scope read',
      'the token was made',
      '`airline token list` shows whether it was. If so, its text is lost: end it with `airline token revoke` and its name. Then make the same call again.',
    ],
  ])('%s: says that it may be there, and what shows it', async (line, made, next) => {
    const { code, stdout, stderr } = await make(away, line);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toContain(`It is not known whether ${made}: `);
    expect(stderr).toContain(next);
  });

  it.each([
    'ticket create --owner ann@example.com --title x',
    'webhook add https://lander.example.org/hook',
    'token create --name lander --scope read',
  ])('%s: tells a refusal as it is', async (line) => {
    const { code, stderr } = await make(refused, line);
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.not.stringContaining('known') });
  });
});
