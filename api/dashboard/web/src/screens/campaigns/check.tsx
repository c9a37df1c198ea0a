import type { CheckedCampaign, CheckFinding } from '../../api.gen.ts'
import { useBusy } from '../../core/busy.ts'
import { canWrite } from '../../core/can.ts'
import { ago } from '../../core/dates.ts'
import { use } from '../../core/query.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Sign, type IconName } from '../../parts/icons.tsx'
import { Foot, Sheet } from '../../parts/sheet.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { w } from '../../text/check.ts'
import { setStatus } from './change.ts'
import { mendOf, placeOf, textsOf } from './findings.ts'

const order = ['problem', 'unknown', 'warning']
const signs: Record<string, { name: IconName; tone: string }> = {
  problem: { name: 'warn', tone: 'bad' },
  unknown: { name: 'clock', tone: '' },
  warning: { name: 'warn', tone: 'warn' },
}

type Props = { of: { id: string; name: string; status: string }; live: boolean; close: () => void }

// CheckSheet shows what is wrong with a campaign, the worst first. With `live`, the campaign is about to be set active, and a
// button sets it active despite the findings.
export function CheckSheet({ of: c, live, close }: Props) {
  const { data, error, again } = use('GET /campaigns/{id}/check', {}, 0, { id: c.id }),
    [busy, run] = useBusy()
  const go = () =>
    run(async () => {
      await setStatus([c], 'active')
      close()
    })
  return (
    <Sheet
      title={w.title(c.name)}
      close={close}
      side
      reads
      foot={
        live && c.status !== 'active' ? (
          <Foot
            close={close}
            look={data?.problems ? 'danger' : 'primary'}
            disabled={busy || !data}
            onClick={() => void go()}
            text={data?.problems ? w.liveAnyway : w.live}
          />
        ) : undefined
      }>
      <div class="body alerts">{data ? <Found of={data} again={again} /> : <Loading of={{ error, again }} height={220} />}</div>
    </Sheet>
  )
}

function Found({ of: data, again }: { of: CheckedCampaign; again: () => void }) {
  const fine = data.checks.filter(c => c.state === 'ok')
  return (
    <>
      {data.state === 'ok' && <Empty title={w.allFine} more={w.allFineMore} />}
      {order.map(state => {
        const rows = data.checks.flatMap(c => c.findings.filter(f => f.state === state).map(f => ({ f, area: c.check })))
        return (
          rows.length > 0 && (
            <section key={state}>
              <h3>{w.states[state]}</h3>
              {state === 'unknown' && <p class="dim">{w.unknownMore}</p>}
              <ul class="list">
                {rows.map(({ f, area }) => (
                  <One key={[f.code, f.where.id, f.where.path_id, f.where.field, f.value].join()} of={f} area={area} campaign={data.id} />
                ))}
              </ul>
            </section>
          )
        )
      })}
      {data.checks.map(
        c =>
          c.left_off > 0 && (
            <p key={c.check} class="dim">
              {w.leftOff(c.left_off, w.areas[c.check]!)}
            </p>
          ),
      )}
      {fine.length > 0 && (
        <section>
          <h3>{w.fine}</h3>
          <p>{fine.map(c => w.areas[c.check] + (c.looked_at ? ` (${w.looked(ago(c.looked_at))})` : '')).join(', ')}</p>
        </section>
      )}
      <p>
        <Button look="sm" onClick={again} text={w.again} />
      </p>
    </>
  )
}

function One({ of: f, area, campaign }: { of: CheckFinding; area: string; campaign: string }) {
  const { says, costs, does } = textsOf(f),
    mend = canWrite() ? mendOf(f) : undefined,
    [busy, run] = useBusy()
  return (
    <li data-code={f.code}>
      <Sign {...signs[f.state]!} />
      <div class="grow">
        <div class="t wrap">{says}</div>
        <div class="d wrap">{costs}</div>
        <div class="wrap">{does}</div>
        <div class="d wrap">{[w.areas[area], f.where.path_name].filter(Boolean).join(' · ')}</div>
        <div class="row">
          {mend && (
            <Button
              look="sm primary"
              disabled={busy}
              of={f.where.name}
              onClick={() => void run(mend)}
              text={busy ? w.mending : w.mends[f.mend]}
            />
          )}
          <Link look="sm" href={placeOf(f, campaign)} text={w.mends.open} aria-label={`${w.mends.open}: ${f.where.name}`} />
        </div>
      </div>
    </li>
  )
}
