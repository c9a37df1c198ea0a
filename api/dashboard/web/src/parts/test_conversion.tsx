import { useEffect, useState } from 'preact/hooks'
import type { ClickRow, ConversionRow, NetworkRow, OfferRow } from '../api.gen.ts'
import { useBusy } from '../core/busy.ts'
import { ApiError } from '../core/call.ts'
import { amount } from '../core/format.ts'
import { callPostback, hasFixedPayout, testPostback } from '../core/postback.ts'
import { isTest } from '../core/test_id.ts'
import { touches, use } from '../core/query.ts'
import { to } from '../core/router.ts'
import { t } from '../core/text.ts'
import { failed } from '../core/toast.ts'
import { setupWords } from '../text/setup.ts'
import { Button, Link } from './button.tsx'

const w = setupWords.test

type Props = {
  network: NetworkRow
  offer?: OfferRow
  click: Pick<ClickRow, 'click_id'>
  look?: string
  came?: (c: ConversionRow) => void
  out?: () => void
}

// TestConversion calls the postback of a network for a click, and says when the conversion has arrived. If it is a test conversion,
// a button takes it out of the figures again.
export function TestConversion({ network, offer, click, look = 'sm primary', came, out }: Props) {
  const [sent, setSent] = useState(false),
    [here, setHere] = useState<ConversionRow>(),
    [isOut, setOut] = useState(false),
    [busy, run] = useBusy(),
    { data } = use('GET /logs/conversions', here && !isOut ? null : { click_id: click.click_id, limit: 1, from: '2020-01-01' }, 3),
    row = data?.rows.find(c => c.status !== 'rejected')
  useEffect(() => {
    if (!row || here) return
    setHere(row)
    came?.(row)
    touches('campaigns', 'reports')
  }, [row, here, came])
  const send = (status: 'approved' | 'rejected') =>
    run(async () => {
      const answer = await callPostback(testPostback(network, click.click_id, offer, (here ?? data?.rows[0]) && status))
      if (answer >= 400) throw new ApiError('refused', answer, w.failed(answer))
      setSent(status === 'approved')
      setOut(status === 'rejected')
      if (status === 'approved') return setHere(undefined)
      touches('campaigns', 'reports', 'logs')
      out?.()
    }, failed)
  const isKnown = hasFixedPayout(offer)
  if (!here || isOut)
    return sent ? (
      <span class="dim fine">{w.waits}</span>
    ) : (
      <span class="row wraps" role={isOut ? 'status' : undefined}>
        <span class={isKnown || isOut ? 'dim fine' : 'warn fine'}>
          {isOut && w.rejected + ' '}
          {isKnown ? w.pays(amount(offer.payout, offer.currency)) : w.madeUp(amount(1, network.currency))}
        </span>
        <Button
          look={isKnown ? look : 'sm'}
          disabled={busy || !(here ?? data)}
          onClick={() => void send('approved')}
          text={t.link.sendTest}
        />
      </span>
    )
  return (
    <span class="row wraps" role="status">
      <span>{(isTest(here.conversion_id) ? w.recorded : w.real)(amount(here.payout, here.currency))}</span>
      <Link look="sm" href={to('/app/conversions', { conversion: here.id })} text={w.see} />
      {isTest(here.conversion_id) && <Button look="sm" disabled={busy} onClick={() => void send('rejected')} text={w.reject} />}
    </span>
  )
}
