// An SMTP server that accepts and stores every mail.
import { createServer } from 'node:net';
import { listen } from '../../verify/kit/ports.ts';

export interface MailServer {
  url: string;
  /** Each with its envelope: `MAIL FROM`, `RCPT TO`, headers and text. */
  mails: string[];
  /** Rejects recipients while true. */
  isRefusing: boolean;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    let waiting = '';
    let mail: string | null = null;
    let envelope = '';
    const answer = (line: string): string | null => {
      if (mail !== null) {
        if (line !== '.') mail += `${line}\n`;
        else {
          mailServer.mails.push(envelope + mail);
          mail = null;
          return '250 kept';
        }
        return null;
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'MAIL') envelope = '';
      if (verb === 'MAIL' || verb === 'RCPT') envelope += `${line}\n`;
      if (verb === 'RCPT' && mailServer.isRefusing) return '550 no such mailbox';
      if (verb === 'DATA') {
        mail = '';
        return '354 go on';
      }
      return verb === 'QUIT' ? '221 bye' : '250 ok';
    };
    socket.write('220 test\r\n');
    socket.on('data', (chunk: string) => {
      waiting += chunk;
      const lines = waiting.split('\r\n');
      waiting = lines.pop() ?? '';
      for (const line of lines) {
        const said = answer(line);
        if (said !== null) socket.write(`${said}\r\n`);
      }
    });
  });
  const port = await listen(server);
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    mails: [],
    isRefusing: false,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}
