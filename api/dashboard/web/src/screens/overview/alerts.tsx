import type { Alert } from '../../api.gen.ts'
import { Link } from '../../parts/button.tsx'
import { ago, dateTime } from '../../core/dates.ts'
import { use } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Seg } from '../../parts/form.tsx'
import { Icon, Sign } from '../../parts/icons.tsx'
import { LoadingCard, EmptyCard } from '../../parts/state.tsx'
import { advice } from '../../text/advice.ts'
import { adviceOf, placeOf, seenOf } from './place.ts'

const w = t.alerts,
  live = 30 // seconds between reloads
const order = ['critical', 'warning']

// Alerts shows the problems that need a person now, the worst first. The state of the service comes last and is folded, because only
// its operator can mend it.
export function Alerts() {
  const { data, error, again } = use('GET /alerts', {}, live),
    only = place.value.query.get('severity') ?? ''
  if (!data) return <LoadingCard of={{ error, again }} height={220} />
  const ofSeverity = (s: string) => data.alerts.filter(a => a.severity === s)
  return (
    <div class="grid alerts">
      {data.alerts.length > 0 && (
        <div class="line">
          <Seg
            label={w.filter}
            value={only}
            options={[
              { value: '', label: `${t.lists.all} ${data.alerts.length}` },
              ...order.map(s => ({ value: s, label: `${w.severities[s]} ${ofSeverity(s).length}` })),
            ]}
            on={v => change({ severity: v || null }, true)}
          />
          <span class="grow" />
          {data.checkedAt && <span class="dim fine">{w.checked(ago(data.checkedAt))}</span>}
        </div>
      )}
      {data.alerts.length === 0 && <EmptyCard title={t.overview.allWell} icon={<Icon name="check" />} more={w.noneMore} />}
      {order
        .filter(s => (!only || only === s) && ofSeverity(s).length > 0)
        .map(s => (
          <section key={s} class="card">
            <header>
              <h2>{w.severities[s]}</h2>
              <span class={'tag ' + (s === 'critical' ? 'bad' : 'warn')}>{ofSeverity(s).length}</span>
            </header>
            <ul class="list">
              {ofSeverity(s).map(a => (
                <One key={a.type + a.id} of={a} />
              ))}
            </ul>
          </section>
        ))}
      <details class="card folded">
        <summary>{w.services}</summary>
        <ul class="list">
          {data.services.map(o => (
            <li key={o.name}>
              <Sign
                name={o.status === 'ok' ? 'check' : o.status === 'failing' || o.status === 'behind' ? 'warn' : 'clock'}
                tone={o.status === 'ok' ? 'good' : o.status === 'failing' ? 'bad' : o.status === 'behind' ? 'warn' : ''}
              />
              <div class="grow">
                <div class="t">{w.names[o.name] ?? o.name}</div>
                {o.message && <div class="d wrap">{advice.does[`${o.name}.${o.status}`] ?? o.message}</div>}
              </div>
              <span class="dim fine">{w.states[o.status] ?? o.status}</span>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}

function One({ of: a }: { of: Alert }) {
  const path = placeOf(a),
    seen = seenOf(a),
    detail = advice.detail(a.type, a.message)
  return (
    <li>
      <Sign name="warn" tone={a.severity === 'critical' ? 'bad' : 'warn'} />
      <div class="grow">
        <div class="t wrap">
          {a.name}: {seen}
        </div>
        {seen !== a.message && (
          <div class="d wrap" lang={detail === a.message ? 'en' : undefined}>
            {detail}
          </div>
        )}
        <div class="wrap">{adviceOf(a)}</div>
        <div class="d wrap">
          {[
            w.kinds[a.kind] ?? a.kind,
            `${w.since} ${dateTime(a.since)}, ${ago(a.since)}`,
            a.status ? w.answered(a.status) : '',
            a.threats.length ? `${w.threats} ${a.threats.join(', ')}` : '',
          ]
            .filter(Boolean)
            .join(' · ')}
        </div>
        {a.url && <div class="d mono wrap">{a.url}</div>}
      </div>
      {path && <Link look="sm" href={path} text={w.look} />}
    </li>
  )
}
