import { defineWords } from '../../i18n/words.ts';

export const words = defineWords({
  en: {
    title: 'Sign in',
    text: 'Sluice console',
    or: 'or',
    signInAt: (label: string) => `Sign in with ${label}`,
    submit: 'Sign in',
    hint: 'The first start of the service showed an account with a one-time password: in the terminal, or in the file first-sign-in.txt of its data directory.',
  },
  ko: {
    title: '로그인',
    text: '슬루스(Sluice) 서비스의 콘솔입니다.',
    or: '또는',
    signInAt: (label: string) => `${label} 계정으로 로그인`,
    submit: '로그인',
    hint: '서비스를 처음 시작할 때 계정과 일회용 비밀번호가 터미널에 표시되거나 데이터 디렉터리의 first-sign-in.txt 파일에 저장됩니다.',
  },
});

/** Texts by the code in the service's redirect. */
export const refusedWords = defineWords({
  en: {
    oidc_failed: 'Signing in with the provider failed. Try again.',
    oidc_no_role: 'Your account at the provider has no role here. Contact the administrator of this service.',
    oidc_no_email:
      'The provider did not send your e-mail address. Contact the administrator of this service.',
    identity_email_taken:
      'There is an account with your e-mail here, and the provider has not verified the address. Sign in with your password.',
    identity_email_unverified:
      'The provider has not verified your e-mail address. Verify it there, or contact the administrator of this service.',
    oidc_claims_invalid:
      'The provider sent a name or an identifier that cannot be stored. Contact the administrator of this service.',
    identity_role_lower:
      'Your account is the last administrator here, and the provider gives you a lower role. Sign in with your password.',
    account_inactive: 'Your account is not active. Ask an administrator.',
  },
  ko: {
    oidc_failed: '로그인 제공자에서 로그인하지 못했습니다. 다시 시도하세요.',
    oidc_no_role: '로그인 제공자의 계정에 이 서비스의 역할이 없습니다. 운영 담당자에게 문의하세요.',
    oidc_no_email: '로그인 제공자가 이메일 주소를 알려 주지 않았습니다. 운영 담당자에게 문의하세요.',
    identity_email_taken:
      '같은 이메일의 계정이 이미 있고, 로그인 제공자가 주소를 확인하지 않았습니다. 비밀번호로 로그인하세요.',
    identity_email_unverified:
      '로그인 제공자가 이메일 주소를 확인하지 않았습니다. 제공자에서 주소를 확인하거나 운영 담당자에게 문의하세요.',
    oidc_claims_invalid:
      '로그인 제공자가 저장할 수 없는 이름이나 식별자를 보냈습니다. 운영 담당자에게 문의하세요.',
    identity_role_lower:
      '이 계정은 마지막 관리자인데, 로그인 제공자가 더 낮은 역할을 주었습니다. 비밀번호로 로그인하세요.',
    account_inactive: '계정이 비활성 상태입니다. 관리자에게 문의하세요.',
  },
});
