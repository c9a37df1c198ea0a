import { useEffect, useState } from 'preact/hooks'
import type { GoalList, GoalsLive, LiveEvent } from '../../api.gen.ts'
import { Button, Link } from '../../parts/button.tsx'
import { Card, Part } from '../../parts/card.tsx'
import { call } from '../../core/call.ts'
import { dateTime } from '../../core/dates.ts'
import { count } from '../../core/format.ts'
import { originOf, tagOf } from '../../core/link.ts'
import { touches } from '../../core/query.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/goals.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Seg, SelectField } from '../../parts/form.tsx'
import { Sign } from '../../parts/icons.tsx'
import { Shown } from '../../parts/sheet.tsx'
import { settingsWords } from '../../text/account.ts'

const shownEvents = 6
const keyOf = (e: LiveEvent) => [e.at, e.name, e.host, e.path, e.clickId].join()

// useClock returns the time, and renders again every second.
function useClock() {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return now
}

// LiveTest waits for the next event of the site, and shows the events that have arrived.
export function LiveTest({ of: live }: { of: GoalsLive }) {
  const [hidden, setHidden] = useState<Set<string>>(new Set()),
    now = useClock(),
    latest = live.latest.filter(e => !hidden.has(keyOf(e))),
    last = latest[0]
  return (
    <Card
      look="livetest"
      title={w.live}
      note={w.now(live.windowMinutes)}
      beside={last && <Button look="sm quiet" onClick={() => setHidden(new Set(live.latest.map(keyOf)))} text={w.anew} />}>
      <div class="row hit">
        <Sign name={!last ? 'clock' : last.clickId ? 'check' : 'warn'} tone={!last ? 'accent' : last.clickId ? 'good' : 'warn'} />
        <div class="grow">
          <div class="strong" role="status">
            {last ? w.got(last.name) : w.waiting}
          </div>
          <div class="dim fine wrap">
            {last
              ? [
                  w.ago(Math.round((now - Date.parse(last.at)) / 1000)),
                  last.goals.length ? w.reached(last.goals.join(', ')) : last.name !== 'view' && w.noGoal, // a page view need not reach a goal
                  last.clickId ? w.ofClick(last.clickId) : w.noClick,
                ]
                  .filter(Boolean)
                  .join(' · ')
              : w.liveText}
          </div>
        </div>
      </div>
      {last && !last.clickId && (
        <p class="hint warn">
          {w.whyNot} {w.remedy}{' '}
          <a class="link" href={to('/app/campaigns/new', { to: 'site' })}>
            {t.campaigns.add}
          </a>
        </p>
      )}
      {latest.length > 1 && (
        <ul class="list">
          {latest.slice(1, shownEvents).map(e => (
            <li key={keyOf(e)}>
              <div class="grow">
                <div class="t">
                  {e.name}
                  {e.goals.length > 0 && <span class="tag good">{w.reached(e.goals.join(', '))}</span>}
                </div>
                <div class="d wrap">
                  {e.host + e.path} · {w.sources[e.source] ?? e.source}
                </div>
              </div>
              <span class="dim fine num">{w.ago(Math.round((now - Date.parse(e.at)) / 1000))}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="hint dim fine num">
        {[
          w.visitorsOf(live.clicks, count(live.clicks)),
          w.views(live.views, count(live.views)),
          w.eventsOf(live.events, count(live.events)),
        ].join(' · ')}
      </p>
    </Card>
  )
}

type Kind = 'tag' | 'page' | 'server'

// snippetOf returns the code to paste: the tag for every page, a goal that a page reports, or a goal that a server reports.
function snippetOf(kind: Kind, domain: string, data: GoalList, secret: string) {
  const origin = originOf(domain, data.sharedDomains.includes(domain))
  const goal = data.goals.find(g => g.kind === 'event' && g.isActive) ?? data.goals.find(g => g.isActive),
    key = goal?.key ?? 'lead',
    hasOrder = goal?.dedupe === 'per_order',
    hasValue = goal?.valueMode === 'from_event',
    currency = goal?.currency || data.currency
  if (kind === 'tag')
    return `<script>window.trk=window.trk||function(){(trk.q=trk.q||[]).push(arguments)}</script>\n<script src="${tagOf(origin, data.tagNames[domain])}" data-site="${data.siteKey}" async></script>`
  const properties = [hasOrder && `order_id: 'A-1004'`, hasValue && `value: 89.90, currency: '${currency}'`].filter(Boolean).join(', ')
  if (kind === 'page') return `<script>trk('goal', '${key}'${properties ? `, { ${properties} }` : ''})</script>`
  const body = JSON.stringify({
    click_id: 'CLICK_ID',
    goal: key,
    ...(hasOrder ? { order_id: 'A-1004' } : {}),
    ...(hasValue ? { value: 89.9, currency } : {}),
  })
  return `curl ${origin}/t/goal \\\n  -H "Authorization: Bearer ${secret || '$GOAL_SECRET'}" \\\n  -d '${body}'`
}

// Install shows the snippets for the customer's pages and servers.
export function Install({ of: data, may }: { of: GoalList; may: boolean }) {
  const domains = [...data.trackingDomains, ...data.sharedDomains],
    [domain, setDomain] = useState(domains[0] ?? ''),
    [snippet, setSnippet] = useState<Kind>('tag'),
    [question, ask] = useAsk(),
    [secret, setSecret] = useState(''),
    [secretShown, setSecretShown] = useState(false)
  const makeSecret = () =>
    call('POST /goals').then(answer => {
      touches('goals')
      setSecret(answer.secret)
      setSecretShown(true)
    })
  const askToReplace = () => ask({ title: w.rotateTitle, text: w.rotateText, go: w.newSecret, danger: true, on: makeSecret })
  return (
    <Part look="card install" title={w.install}>
      {domains.length === 0 ? (
        <div class="row">
          <span class="grow">{w.noDomain}</span>
          <Link look="sm" href={to('/app/domains')} text={w.toDomains} />
        </div>
      ) : (
        <>
          {domains.length > 1 && (
            <SelectField label={w.tagDomain} value={domain} options={domains.map(d => ({ value: d, label: d }))} on={setDomain} />
          )}
          <Seg
            label={w.which}
            value={snippet}
            options={(Object.keys(w.snippets) as Kind[]).map(value => ({ value, label: w.snippets[value]! }))}
            on={setSnippet}
          />
          <p class="soft">{w.snippetText[snippet]}</p>
          <Copy lines text={snippetOf(snippet, domain, data, secret)} label={w.snippetOf(w.snippets[snippet]!)} />
        </>
      )}
      <div>
        <h3 class="label">{settingsWords.siteKey}</h3>
        <Copy text={data.siteKey} label={settingsWords.siteKey} />
      </div>
      <div class="row">
        <div class="grow">
          <h3 class="label">{w.secret}</h3>
          <span class={data.secretSet ? 'dim' : 'warn'}>
            {data.secretSet && data.secretSetAt ? w.secretSet(dateTime(data.secretSetAt)) : w.secretNone}
          </span>
        </div>
        {may && (
          <Button
            look="sm"
            onClick={() => (data.secretSet ? askToReplace() : void makeSecret().catch(() => undefined))}
            text={data.secretSet ? w.newSecret : w.makeSecret}
          />
        )}
      </div>
      {question}
      {secretShown && (
        <Shown title={w.secret} close={() => setSecretShown(false)} done={w.secretDone}>
          <p>{w.secretText}</p>
          <Copy lines text={secret} label={w.secret} />
        </Shown>
      )}
    </Part>
  )
}
