// The currency to suggest for an account, and the money that no total includes because it has no exchange rate.
import type { ConversionRow } from '../api.gen.ts'

const regions: Record<string, string> = {
  AU: 'AUD',
  BR: 'BRL',
  CA: 'CAD',
  CH: 'CHF',
  CZ: 'CZK',
  DK: 'DKK',
  GB: 'GBP',
  HU: 'HUF',
  IN: 'INR',
  JP: 'JPY',
  MX: 'MXN',
  NO: 'NOK',
  PL: 'PLN',
  SE: 'SEK',
}
for (const region of 'AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK'.split(' ')) regions[region] = 'EUR'

export const currencyOf = (language: string) => regions[new Intl.Locale(language).maximize().region ?? ''] ?? 'USD'

// suggestedCurrency returns the currency to suggest in an account without figures. For an account in USD, the default of new
// accounts, it is the currency of the browser's region.
export const suggestedCurrency = (ofAccount: string) => (ofAccount === 'USD' ? currencyOf(navigator.language) : ofAccount)

type Money = Pick<ConversionRow, 'rate' | 'currency' | 'payout' | 'status'>

// uncountedOf returns the sums of amounts without an exchange rate, by currency. It leaves out rejected conversions,
// because no total includes them even with a rate.
export function uncountedOf(rows: Money[]): { currency: string; sum: number }[] {
  const sums = new Map<string, number>()
  for (const r of rows)
    if (r.rate === null && r.currency && Number(r.payout) && r.status !== 'rejected')
      sums.set(r.currency, (sums.get(r.currency) ?? 0) + Number(r.payout))
  return [...sums].map(([currency, sum]) => ({ currency, sum: Number(sum.toFixed(6)) }))
}
