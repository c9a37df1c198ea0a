import { me } from '../core/me.ts'
import { setupWords } from '../text/setup.ts'
import type { Draft } from './record_form.tsx'

// otherCurrency is the hint of a currency field. It warns of a currency that is not the account's, because its amounts count only with
// an exchange rate.
export const otherCurrency = (d: Draft) => {
  const { currency } = me.value!.account
  return /^[a-z]{3}$/i.test(String(d.currency)) && String(d.currency).toUpperCase() !== currency ? (
    <span class="warn">{setupWords.uncounted.other(currency)}</span>
  ) : undefined
}
