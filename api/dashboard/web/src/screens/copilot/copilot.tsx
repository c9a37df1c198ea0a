import { useEffect, useState } from 'preact/hooks'
import type { ComponentType } from 'preact'
import type { CopilotAnswer, CopilotBody, CopilotSuggestion, Scope } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago, dateOf } from '../../core/dates.ts'
import { count } from '../../core/format.ts'
import { use } from '../../core/query.ts'
import { place, to } from '../../core/router.ts'
import { Icon, Sign } from '../../parts/icons.tsx'
import { Item, Menu } from '../../parts/menu.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Late, LoadingCard, Alert, EmptyCard } from '../../parts/state.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { w } from '../../text/copilot.ts'
import { Change, Details, Why } from './change.tsx'
import { effectText, errorText } from './text.ts'
import { History } from './history.tsx'
import { act } from './act.ts'

// dayName returns a day, such as 2026-11-28, in the account's date format, or a dash if the text is empty.
const dayName = (day: string) => (day ? dateOf(Date.parse(day + 'T12:00:00Z')) : '—')

// lazyTabs are the tabs whose code is loaded when they are opened.
const lazyTabs: Record<string, () => Promise<ComponentType>> = {
  chat: () => import('./chat.tsx').then(m => m.Chat),
  rules: () => import('./rules.tsx').then(m => m.Rules),
}

// Copilot has four tabs: the suggestions, the changes that were made, the rules, and the chat with a language model.
export function Copilot() {
  const tab = w.tabs[place.value.query.get('tab') ?? ''] ? place.value.query.get('tab')! : 'suggestions'
  return (
    <div class="grid copilot">
      <div class="row tabline">
        <nav class="tabs" aria-label={w.pages}>
          {Object.keys(w.tabs).map(name => (
            <a
              key={name}
              href={to('/app/copilot', name === 'suggestions' ? {} : { tab: name })}
              aria-current={name === tab ? 'page' : undefined}>
              {w.tabs[name]}
            </a>
          ))}
        </nav>
      </div>
      {lazyTabs[tab] ? <Lazy key={tab} load={lazyTabs[tab]} /> : <Listed history={tab === 'history'} />}
    </div>
  )
}

function Lazy({ load }: { load: () => Promise<ComponentType> }) {
  const [Loaded, setLoaded] = useState<ComponentType>()
  useEffect(() => {
    void load().then(got => setLoaded(() => got))
  }, [load])
  return Loaded ? (
    <Loaded />
  ) : (
    <Late>
      <div class="skeleton" style="height:240px" />
    </Late>
  )
}

function Listed({ history }: { history: boolean }) {
  const { data, error, again } = use('GET /copilot', {}, 60)
  if (!data) return <LoadingCard of={{ error, again }} height={260} />
  return history ? <History of={data} /> : <Suggestions of={data} />
}

function Suggestions({ of: data }: { of: CopilotAnswer }) {
  const { busy, wrong: error, run } = useAttempt(asError)
  const refresh = () =>
    run(async () => {
      const answer = await call('POST /copilot', { body: { action: 'refresh' } })
      toastAndReload(w.refreshed(answer.open ?? 0), 'copilot')
    })
  return (
    <>
      <div class="line">
        {data.total > 0 && <b>{w.open(data.total)}</b>}
        <span class="dim fine">{data.lastRunAt ? w.judged(ago(data.lastRunAt)) : w.notJudged}</span>
        <span class="grow" />
        {busy && (
          <span class="dim fine" role="status">
            {w.refreshing}
          </span>
        )}
        {canWrite() && <Button disabled={busy} onClick={() => void refresh()} text={w.refresh} />}
      </div>
      {error && <Alert look="warn" text={error.code === 'too_soon' ? w.tooSoon : errorText(error)} />}
      {!data.canApply && <p class="warn">{w.plan(data.plan)}</p>}
      {!canWrite() && <p class="dim">{w.readOnly}</p>}
      {data.suggestions.length === 0 ? (
        <EmptyCard title={w.none} more={w.noneMore}>
          {data.looked && <Looked of={data.looked} />}
        </EmptyCard>
      ) : (
        <ul class="cards">
          {data.suggestions.map(s => (
            <Suggestion key={s.id} of={s} may={data.canApply && canWrite()} />
          ))}
        </ul>
      )}
    </>
  )
}

// Looked shows what the Copilot looked at, and which checks had too little data.
function Looked({ of }: { of: Scope }) {
  const lacking = of.checks.filter(c => c.judged === 0),
    judged = of.checks.filter(c => c.judged > 0)
  return (
    <div class="readscope">
      <p>{w.looked(count(of.campaigns), of.campaigns, count(of.clicks), count(of.conversions), dayName(of.from), dayName(of.to))}</p>
      {of.skipped > 0 && <p class="dim">{w.skipped(of.skipped, count(of.skipped))}</p>}
      {of.from && of.campaigns > 0 && of.clicks === 0 && <p class="dim">{w.noClicks}</p>}
      <PlainTable label={w.checks} heads={[{ left: w.check }, w.cases, { left: w.needs }]}>
        {[...judged, ...lacking].map(c => (
          <tr key={c.kind}>
            <td>{w.kinds[c.kind] ?? c.kind}</td>
            <td class="num">{count(c.judged)}</td>
            <td class={'left' + (c.judged ? ' dim' : '')}>{c.judged ? w.fine : w.atLeast(c.minimum)}</td>
          </tr>
        ))}
      </PlainTable>
    </div>
  )
}

type ChoiceMenuProps = { kind: string; name: string; text: string; of: string; choices: { label: string; on: () => void }[] }

// ChoiceMenu is a button that opens a menu of choices. `of` names the record that the choices act on, for screen readers.
const ChoiceMenu = ({ kind, name, text, of, choices }: ChoiceMenuProps) => (
  <Menu
    kind={kind}
    name={name}
    label={
      <>
        {text}
        <Icon name="down" />
        <span class="hidden">: {of}</span>
      </>
    }>
    {close =>
      choices.map(c => (
        <Item key={c.label} close={close} on={c.on}>
          {c.label}
        </Item>
      ))
    }
  </Menu>
)

// Suggestion shows a suggestion with its reasons, and applies, postpones or dismisses it.
function Suggestion({ of: s, may }: { of: CopilotSuggestion; may: boolean }) {
  const { busy, wrong: error, run } = useAttempt(asError),
    title = w.suggestion(s.title),
    effect = s.effect && effectText(s.effect)
  const send = (body: CopilotBody, done: string, undone?: string) => run(() => act({ ...body, id: s.id }, done, undone))
  const apply = (variant?: CopilotBody['variant']) =>
    send({ action: 'apply', ...(variant ? { variant } : {}) }, w.applied(title), w.undone(title))
  const snooze = (days: number) => send({ action: 'snooze', days }, w.snoozed(dateOf(Date.now() + days * 864e5)))
  return (
    <li class="card suggestion" aria-label={title}>
      <div class="row top0">
        <Sign name={s.advice_only ? 'warn' : 'spark'} tone={s.advice_only ? 'warn' : 'accent'} />
        <div class="grow">
          <h2 class="wrap">{title}</h2>
          <p class="soft wrap">{w.suggestion(s.detail)}</p>
          <p class="dim fine wrap">
            {s.campaign_id && (
              <>
                <a class="link" href={to(`/app/campaigns/${s.campaign_id}/flow`)}>
                  {s.campaign || s.campaign_id}
                </a>{' '}
                ·{' '}
              </>
            )}
            {ago(s.created_at)}
            {s.advice_only && <> · {w.advice}</>}
          </p>
        </div>
        {effect && (
          <div class="effect num">
            <b class={s.effect!.value > 0 ? 'good' : ''}>{effect.value}</b>
            <small class="dim">{effect.range}</small>
          </div>
        )}
      </div>
      <Details label={s.advice_only ? w.evidence : w.why}>
        {() => (
          <>
            {!s.advice_only && <h3>{w.evidence}</h3>}
            <Why of={s.evidence} />
            {!s.advice_only && (
              <>
                <h3>{w.change}</h3>
                <Change id={s.id} />
              </>
            )}
          </>
        )}
      </Details>
      {error && <Alert text={errorText(error)} />}
      {canWrite() && (
        <div class="row wraps acts1">
          {may &&
            !s.advice_only &&
            (s.variants.length > 0 ? (
              <ChoiceMenu
                kind="btn primary"
                name={w.variant}
                text={w.apply}
                of={title}
                choices={s.variants.map(v => ({ label: w.variants[v] ?? v, on: () => void apply(v as CopilotBody['variant']) }))}
              />
            ) : (
              <Button look="primary" disabled={busy} aria-label={w.applyOf(title)} onClick={() => void apply()} text={w.apply} />
            ))}
          <ChoiceMenu
            kind="btn"
            name={w.snooze}
            text={w.snooze}
            of={title}
            choices={[1, 7, 30].map(days => ({ label: w.days(days), on: () => void snooze(days) }))}
          />
          <Button
            look="quiet"
            disabled={busy}
            aria-label={`${w.dismiss}: ${title}`}
            onClick={() => void send({ action: 'dismiss' }, w.dismissed)}
            text={w.dismiss}
          />
        </div>
      )}
    </li>
  )
}
