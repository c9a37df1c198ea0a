import { useState } from 'preact/hooks'
import type { NetworkReport } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useBusy } from '../../core/busy.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import { mostBytes } from '../../core/csv.ts'
import { count } from '../../core/format.ts'
import { touches } from '../../core/query.ts'
import { w } from '../../text/difference.ts'
import { Source } from '../../parts/csv.tsx'
import { Failed, Alert } from '../../parts/state.tsx'

const base64 = async (file: File) => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192))
  return btoa(text)
}

// Upload takes the network's own report. It is compared with our figures, and changes none of them.
export function Upload({ id, basis }: { id: string; basis?: string }) {
  const [text, setText] = useState(''),
    [saved, setSaved] = useState<NetworkReport>(),
    [error, setError] = useState<ApiError>(),
    [tooLarge, setTooLarge] = useState(false),
    [busy, run] = useBusy()
  const send = (body: { csv: string } | { file: string }) =>
    run(
      async () => {
        setError(undefined)
        setSaved(await call('POST /networks/{id}/report', { path: { id }, body }))
        touches('networks')
      },
      e => setError(asError(e)),
    )
  const set = (v: string) => {
    setText(v)
    setTooLarge(false)
  }
  return (
    <Card title={w.upload}>
      <div class="part">
        <p class="dim">{w.uploadText}</p>
        <Source
          example={'date,clicks,conversions,payout\n'}
          text={text}
          set={set}
          take={f => void base64(f).then(file => send({ file }))}
          tooLarge={() => setTooLarge(true)}
        />
        {tooLarge && <Alert text={w.tooLarge} />}
        {error && <Failed error={error} again={() => void send({ csv: text })} />}
        {saved && <Saved of={saved} />}
        {saved?.kind === 'totals' && basis === 'orders' && <p class="warn">{w.ordersFirst}</p>}
        <div class="row">
          <Button
            look="primary"
            disabled={busy || !text.trim() || text.length > mostBytes}
            onClick={() => void send({ csv: text })}
            text={w.uploadButton}
          />
        </div>
      </div>
    </Card>
  )
}

// Saved says how much of a report was stored, and why rows were not.
const Saved = ({ of: r }: { of: NetworkReport }) => (
  <div role="status">
    <p>
      {w.uploaded(r.stored, count(r.stored))}
      {r.from && r.to && `, ${r.from} – ${r.to}`}. {w.readAs[r.kind]}
    </p>
    {r.truncated && <p class="warn">{w.truncated(count(r.total))}</p>}
    {r.refused > 0 && (
      <>
        <p class="warn">{w.refusedRows(r.refused, count(r.refused))}</p>
        <ul>
          {r.refusals.map(e => (
            <li key={e.line}>{w.line(e.line, e.reason)}</li>
          ))}
        </ul>
      </>
    )}
  </div>
)
