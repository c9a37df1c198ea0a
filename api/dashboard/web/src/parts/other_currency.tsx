import { me } from '../core/me.ts'
import { setupWords } from '../text/setup.ts'
import type { Draft } from './record_form.tsx'

// otherCurrency is the hint of a currency field. It warns if the currency is not the account's. Amounts in another currency are only
// counted if there is an exchange rate for it.
export const otherCurrency = (d: Draft) => {
  const { currency } = me.value!.account
  return /^[a-z]{3}$/i.test(String(d.currency)) && String(d.currency).toUpperCase() !== currency ? (
    <span class="warn">{setupWords.uncounted.other(currency)}</span>
  ) : undefined
}
