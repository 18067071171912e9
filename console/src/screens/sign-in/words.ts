import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Sign in',
    text: 'Sluice console',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    hint: 'The first start of the service printed an account with a one-time password in the terminal.',
  },
  ko: {
    title: '로그인',
    text: '슬루스(Sluice) 서비스의 콘솔입니다.',
    email: '이메일',
    password: '비밀번호',
    submit: '로그인',
    hint: '서비스를 처음 시작할 때 터미널에 계정과 일회용 비밀번호가 표시됩니다.',
  },
});
