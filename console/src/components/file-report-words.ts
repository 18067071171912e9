import { defineWords } from '../i18n/words.ts';

/** Texts for faults of a file; see `row-faults.ts`. */
export const faultWords = defineWords({
  en: {
    missing: (column: string) => `${column} is missing.`,
    unknownVariant: (code: string) => `There is no item ${code}.`,
    twice: (sku: string, line: string) => `${sku} is already mapped to another item on line ${line}.`,
    fields: (n: string, wanted: string) =>
      `${n} ${n === '1' ? 'field' : 'fields'}, but the header has ${wanted}.`,
    cells: (n: string, wanted: string) =>
      `The line has ${n} ${n === '1' ? 'value' : 'values'} and needs ${wanted}.`,
    tooLong: (column: string, max: string) => `${column}: at most ${max} characters.`,
    unusable: (column: string) => `${column} contains characters that cannot be stored.`,
    header: (columns: string) => `The first line must be ${columns}, separated by commas.`,
    isEmpty: (columns: string) => `The file is empty. Its first line must be ${columns}.`,
    repeated: (code: string, line: string) => `${code} is on line ${line} already.`,
    unknownChannel: (id: string) => `There is no channel ${id}.`,
    noStock: (code: string) => `${code} has no stock record yet.`,
    notANumber: (value: string) => `“${value}” is not a quantity: a whole number, 0 or more.`,
    outdated: (at: string) => `This item was counted later, on ${at}.`,
    belowZero: (counted: string, moved: string) =>
      `${counted} counted, but ${moved} moved since then: the stock would be below 0.`,
    beyondLimit: 'The stock would exceed 2,147,483,647.',
    tooFew: (n: string) => `Only ${n} are in stock.`,
    markup: 'This is an HTML or XML page. Open it in a spreadsheet program and save it as “CSV UTF-8”.',
    openQuote: 'A quote is opened and never closed.',
    strayQuote: 'A field contains an unescaped quote: quote the whole field and double the quotes in it.',
    shortened: (column: string) =>
      `${column} contains a shortened number or an error value of a spreadsheet. Import the original file; a spreadsheet keeps such values only if it opens the column as text.`,
    digitsLost: (column: string) =>
      `${column}: a spreadsheet has replaced the digits after the 15th by zeros, in every long number. Import the original file; a spreadsheet keeps such values only if it opens the column as text.`,
  },
  ko: {
    missing: (column: string) => `${column} 값이 없습니다.`,
    unknownVariant: (code: string) => `${code} 품목이 없습니다.`,
    twice: (sku: string, line: string) => `같은 SKU(${sku})가 ${line}번째 줄에 다른 품목으로 이미 있습니다.`,
    fields: (n: string, wanted: string) => `값이 ${n}개입니다. 첫 줄의 열은 ${wanted}개입니다.`,
    cells: (n: string, wanted: string) => `이 줄에는 값이 ${n}개 있습니다. ${wanted}개가 필요합니다.`,
    tooLong: (column: string, max: string) => `${column}: ${max}자까지 쓸 수 있습니다.`,
    unusable: (column: string) => `${column}에 저장할 수 없는 문자가 있습니다.`,
    header: (columns: string) => `첫 줄의 열 이름은 쉼표로 구분한 ${columns} 형식이어야 합니다.`,
    isEmpty: (columns: string) => `파일이 비어 있습니다. 첫 줄은 ${columns} 형식이어야 합니다.`,
    repeated: (code: string, line: string) => `${code} 품목이 ${line}번째 줄에 이미 있습니다.`,
    unknownChannel: (id: string) => `없는 채널입니다: ${id}`,
    noStock: (code: string) => `${code} 품목은 아직 재고 정보가 없습니다.`,
    notANumber: (value: string) => `“${value}” 값은 수량이 아닙니다. 0 이상의 정수를 입력하세요.`,
    outdated: (at: string) => `이 품목은 더 나중에(${at}) 실사했습니다.`,
    belowZero: (counted: string, moved: string) =>
      `실사 수량 ${counted}, 이후 변동 ${moved}: 재고가 0보다 작아집니다.`,
    beyondLimit: '재고가 2,147,483,647을 넘습니다.',
    tooFew: (n: string) => `재고가 ${n}개뿐입니다.`,
    markup: 'HTML이나 XML 문서입니다. 엑셀 등에서 열어 “CSV UTF-8” 형식으로 저장해 주세요.',
    openQuote: '따옴표가 열리고 닫히지 않았습니다.',
    strayQuote: '값 안에 따옴표가 있습니다. 값 전체를 따옴표로 감싸고 안의 따옴표는 두 번 쓰세요.',
    shortened: (column: string) =>
      `${column}에 엑셀이 줄여 쓴 숫자나 오류 값이 있습니다. 원본 파일을 가져오세요. 엑셀에서는 이 열을 텍스트로 열어야 값이 유지됩니다.`,
    digitsLost: (column: string) =>
      `${column}: 모든 긴 숫자에서 15자리 뒤가 0으로 바뀌었습니다. 원본 파일을 가져오세요. 엑셀에서는 이 열을 텍스트로 열어야 값이 유지됩니다.`,
  },
});

/** Shared by all imports. */
export const reportWords = defineWords({
  en: {
    problems: 'Problems',
    line: 'Line',
    column: 'Column',
    problem: 'Problem',
    first: (shown: string, all: string) => `The first ${shown} of ${all} problems`,
    noRows: 'There are no rows below the header.',
    asWritten: 'Take these values as they are written',
    asWrittenText:
      'Values that look shortened or rounded by a spreadsheet may be right, such as the code 1E+05.',
  },
  ko: {
    problems: '문제',
    line: '줄 번호',
    column: '열',
    problem: '문제',
    first: (shown: string, all: string) => `문제 ${all}건 중 처음 ${shown}건`,
    noRows: '열 이름 아래에 데이터가 없습니다.',
    asWritten: '쓰인 그대로 가져오기',
    asWrittenText: '스프레드시트가 줄이거나 반올림한 듯한 값도 1E+05라는 코드처럼 맞는 값일 수 있습니다.',
  },
});
