import { equal, test } from '../testing.ts'
import { currencyOf, uncountedOf } from './currency.ts'

test('the language of a browser gives the currency to suggest, or else USD', () => {
  equal(['de', 'de-CH', 'en-GB', 'en', 'fr-CA', 'ar-EG'].map(currencyOf), ['EUR', 'CHF', 'GBP', 'USD', 'CAD', 'USD'])
})

test('amounts that have a currency but no rate are summed by currency, except rejected ones', () => {
  const row = { rate: null, currency: 'EUR', payout: '49.90', status: 'approved' as const }
  equal(uncountedOf([row, { ...row, payout: '0.1' }, { ...row, rate: '1' }, { ...row, currency: '' }, { ...row, status: 'rejected' }]), [
    { currency: 'EUR', sum: 50 },
  ])
  equal(uncountedOf([]), [])
})
