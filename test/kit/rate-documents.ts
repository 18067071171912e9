// Copies of the documented answers of the exchange-rate sources.

/** https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml */
export const ecbDocument = (rates: Record<string, string> = {}, day = '2026-11-13'): string => {
  const all = { USD: '1.0744', JPY: '165.03', GBP: '0.8572', KRW: '1461.87', CNY: '7.7798', ...rates };
  const cubes = Object.entries(all).map(([code, rate]) => `\t\t\t<Cube currency='${code}' rate='${rate}'/>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
\t\t<Cube time='${day}'>
${cubes.join('\n')}
\t\t</Cube>
\t</Cube>
</gesmes:Envelope>
`;
};

/** https://oapi.koreaexim.go.kr/site/program/financial/exchangeJSON?…&data=AP01 */
export const koreaeximDocument = (): string =>
  JSON.stringify(
    [
      ['USD', '1,376.8', '미국 달러'],
      ['JPY(100)', '894.12', '일본 옌'],
      ['CNH', '190.31', '위안화'],
      ['IDR(100)', '8.55', '인도네시아 루피아'],
      ['KRW', '1', '한국 원'],
    ].map(([cur_unit, deal_bas_r, cur_nm]) => ({
      result: 1,
      cur_unit,
      ttb: '0',
      tts: '0',
      deal_bas_r,
      bkpr: '1,376',
      yy_efee_r: '0',
      ten_dd_efee_r: '0',
      kftc_bkpr: '1,376',
      kftc_deal_bas_r: '1,376.8',
      cur_nm,
    })),
  );
