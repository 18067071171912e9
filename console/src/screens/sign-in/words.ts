import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Sign in',
    text: 'Sluice console',
    email: 'E-mail',
    password: 'Password',
    code: 'Code',
    codeHint: 'Of your authenticator app, or a recovery code.',
    submit: 'Sign in',
    hint: 'The first start of the service printed an account with a one-time password in the terminal.',
  },
  ko: {
    title: '로그인',
    text: '슬루스(Sluice) 서비스의 콘솔입니다.',
    email: '이메일',
    password: '비밀번호',
    code: '코드',
    codeHint: '인증 앱의 코드 또는 복구 코드를 입력하세요.',
    submit: '로그인',
    hint: '서비스를 처음 시작할 때 터미널에 계정과 일회용 비밀번호가 표시됩니다.',
  },
});
