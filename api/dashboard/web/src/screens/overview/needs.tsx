import { Link } from '../../parts/button.tsx'
import { count } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { nameOf } from '../../core/placeholders.ts'
import { t } from '../../core/text.ts'
import { setupWords } from '../../text/setup.ts'
import { span } from '../../core/window.ts'
import { fieldsOf, missingOf } from '../../parts/untold.tsx'
import { atMost } from '../../core/waiting.ts'
import { Sign, type IconName } from '../../parts/icons.tsx'
import { Failed } from '../../parts/state.tsx'
import { adviceOf, placeOf, seenOf } from './place.ts'

const shownAlerts = 5

// NeedsYou shows the first alerts, the sources whose postback lacks settings, and the numbers of unmatched postbacks and open
// suggestions, each with a link.
export function NeedsYou() {
  const { data, error, again } = use('GET /alerts', {}, 60),
    shown = data?.alerts.slice(0, shownAlerts) ?? [],
    // The number of unmatched postbacks. It is 0 if an alert on the card already reports them.
    unmatched = shown.some(a => a.type === 'postbacks.unmatched') ? 0 : (data?.unmatchedPostbacks ?? 0),
    open = data?.openSuggestions ?? 0,
    sources = use('GET /traffic-sources', { from: span.value.from, to: span.value.to, status: 'active', limit: 100 }).data?.rows,
    untold = sources?.filter(s => s.clicks > 0 && missingOf(s).length > 0) ?? [],
    all = untold.length + (data?.count ?? 0) + Number(unmatched > 0) + Number(open > 0)
  return (
    <section class="card">
      <header>
        <h2>{t.overview.needsYou}</h2>
        {all > 0 && <span class="tag">{all}</span>}
        <span class="grow" />
        {data && data.count > shownAlerts && <a href={to('/app/alerts')}>{t.overview.all(data.count)}</a>}
      </header>
      {error && !data ? (
        <Failed error={error} again={again} />
      ) : (
        <ul class="list whole">
          {shown.map(a => (
            <Need
              key={a.type + a.id}
              icon="warn"
              tone={a.severity === 'critical' ? 'bad' : 'warn'}
              text={`${a.name}: ${seenOf(a)}`}
              more={adviceOf(a)}
              path={placeOf(a)}
            />
          ))}
          {untold.map(s => (
            <Need
              key={s.id}
              icon="warn"
              tone="warn"
              text={t.link.notTold(s.name, missingOf(s).map(nameOf).join(', '))}
              more={setupWords.untold}
              path={fieldsOf(s)}
            />
          ))}
          {unmatched > 0 && (
            <Need
              icon="warn"
              tone="warn"
              text={t.overview.unmatched(unmatched, atMost(unmatched))}
              more={t.overview.unmatchedMore}
              path={to('/app/unmatched')}
            />
          )}
          {open > 0 && (
            <Need
              icon="spark"
              tone="accent"
              text={t.overview.suggestions(open, count(open))}
              more={t.overview.suggestionsMore}
              path={to('/app/copilot')}
            />
          )}
          {data && sources && all === 0 && (
            <li>
              <Sign name="check" tone="good" />
              <div class="grow">
                <div class="t">{t.overview.allWell}</div>
              </div>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

type NeedProps = { icon: IconName; tone: string; text: string; more: string; path: string }

// Need is a line about something that waits for a person, with a link to its screen.
const Need = ({ icon, tone, text: what, more, path }: NeedProps) => (
  <li>
    <Sign name={icon} tone={tone} />
    <div class="grow">
      <div class="t wrap">{what}</div>
      <div class="d wrap">{more}</div>
    </div>
    <Link look="sm" href={path} text={t.overview.look} />
  </li>
)
