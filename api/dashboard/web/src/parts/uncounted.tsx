import { uncountedOf } from '../core/currency.ts'
import { amount } from '../core/format.ts'
import { can, me } from '../core/me.ts'
import { use } from '../core/query.ts'
import { to } from '../core/router.ts'
import { t } from '../core/text.ts'
import { setupWords } from '../text/setup.ts'
import { windowQuery } from '../core/window.ts'

const w = setupWords.uncounted,
  most = 500 // maximum number of conversions that are searched for amounts without an exchange rate

// Uncounted lists the amounts of the window that no total includes, because their currency has no exchange rate.
export function Uncounted() {
  const hasAny = use('GET /alerts', {}, 60).data?.alerts.some(a => a.type === 'currency.unconverted'),
    { data } = use('GET /logs/conversions', hasAny ? { ...windowQuery(), limit: most } : null, 60),
    sums = uncountedOf(data?.rows ?? [])
  if (sums.length === 0) return null
  const list = sums.map(s => amount(s.sum, s.currency)).join(', ')
  return (
    <p class="warn uncounted" role="status">
      {w.text(list, data!.rows.length === most, me.value!.account.currency)}{' '}
      <a class="link" href={to('/app/conversions')}>
        {t.conversions.title}
      </a>
      {can('owner') && (
        <>
          {' · '}
          <a class="link" href={to('/app/settings')}>
            {w.settings}
          </a>
        </>
      )}
    </p>
  )
}
