import type { ConfigPlan } from '../../api.gen.ts'
import { count } from '../../core/format.ts'
import { w } from '../../text/config.ts'

const most = 200 // maximum number of notes that are shown for each severity
const looks = { refused: 'bad', lost: 'warn', changed: 'dim' }
const severities = ['refused', 'lost', 'changed'] as const

// Notes lists what could not be imported unchanged from another tracker, the worst first.
export function Notes({ of: plan }: { of: ConfigPlan }) {
  const by = severities
    .map(severity => ({ severity, list: plan.notes.filter(n => n.severity === severity) }))
    .filter(s => s.list.length > 0)
  if (by.length === 0) return null
  return (
    <div class="part">
      {by.map(({ severity, list }) => (
        <details key={severity} open={severity !== 'changed'}>
          <summary>
            <span class={looks[severity]}>{w.noteNames[severity]}</span> <span class="dim num">{count(list.length)}</span>
          </summary>
          <ul class="list">
            {list.slice(0, most).map((n, i) => (
              <li key={i}>
                <div class="grow">
                  {n.name && (
                    <div class="t">
                      <span class="dim">{w.kinds[n.kind] ?? n.kind}</span> {n.name}
                    </div>
                  )}
                  <div class="d wrap">{n.text}</div>
                </div>
              </li>
            ))}
          </ul>
          {list.length > most && <p class="dim">{w.notesLeftOut(list.length - most, count(list.length - most))}</p>}
        </details>
      ))}
    </div>
  )
}
