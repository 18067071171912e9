import { defineWords } from '../i18n/words.ts';

export const words = defineWords({
  en: {
    unreachable: 'The service cannot be reached. Check the connection and try again.',
    unsure:
      'No answer from the service. It may have been done nevertheless: check that before you send it again.',
    unreadable: (status: number) => `The answer of the service could not be read (status ${status}).`,
    wrong: 'The e-mail or the password is wrong.',
    wrongCode: 'The password or the code is wrong, or the code was used already.',
    gone: (text: string) => `${text} Another user may have removed it: the page has been read again.`,
    wait: 'Too many attempts. Wait a moment, then try again.',
    ended: 'Your session has ended. Sign in again to go on.',
    busy: 'The service is busy. Try again in a moment.',
    broken: 'The service had an internal error. Try again. If it happens again, contact its administrator.',
  },
  ko: {
    unreachable: '서비스에 연결할 수 없습니다. 네트워크를 확인하고 다시 시도하세요.',
    unsure: '서비스에서 응답이 오지 않았습니다. 이미 처리되었을 수도 있으니, 다시 보내기 전에 확인하세요.',
    unreadable: (status: number) => `서비스의 응답을 읽을 수 없습니다 (${status}).`,
    wrong: '이메일 또는 비밀번호가 올바르지 않습니다.',
    wrongCode: '비밀번호나 코드가 올바르지 않거나 이미 사용한 코드입니다.',
    gone: (text: string) => `${text} (다른 사용자가 먼저 지웠을 수 있어 화면을 새로 읽었습니다.)`,
    wait: '시도가 너무 많았습니다. 잠시 기다렸다가 다시 시도하세요.',
    ended: '세션이 끝났습니다. 계속하려면 다시 로그인하세요.',
    busy: '서비스가 바쁩니다. 잠시 후 다시 시도하세요.',
    broken: '서비스 내부에서 오류가 났습니다. 다시 시도해 보고, 계속되면 운영 담당자에게 알려 주세요.',
  },
});
