import { useContext, useEffect, useState } from 'preact/hooks'
import type { CampaignWhole, Simulated, SourceRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { ApiError, asError, call } from '../../core/call.ts'
import { choicesOf, type Choice } from '../../core/choices.ts'
import { attributeName, attributes, formOf, operatorsOf, valueName } from '../../core/condition.ts'
import { count } from '../../core/format.ts'
import { place, to } from '../../core/router.ts'
import { Named } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { flowWords, simulateWords } from '../../text/flow.ts'
import { withClickID } from '../../core/tokens.ts'
import { displayName, toSend, type Flow } from './edit.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Input, Seg } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { DimensionChoices } from '../../parts/choices.tsx'
import { Menu } from '../../parts/menu.tsx'
import { sentence } from '../../core/errors.ts'
import { Trace } from '../../parts/trace.tsx'
import type { Book } from './book.ts'
import { shareText } from './text.ts'
import type { Lit } from './rails.tsx'

type Visitor = Record<string, string>
// Question is what a person simulates. `click` is the id of a click in the log, if its visitor is simulated.
type Question = { click: string; visitor: Visitor; seed: number; time: string; mode: 'one' | 'many' }
type Props = {
  campaign: CampaignWhole
  draft: Flow
  book: Book
  sources: SourceRow[] | undefined
  light: (l: Lit) => void
  showError: (e: ApiError) => void
}

const presets: Record<string, Visitor> = {
  german: { country: 'DE', device_type: 'mobile', os: 'Android', browser: 'Chrome', language: 'de' },
  american: { country: 'US', device_type: 'desktop', os: 'Windows', browser: 'Chrome', language: 'en' },
  iphone: { country: 'FR', device_type: 'mobile', os: 'iOS', browser: 'Safari', language: 'fr' },
  bot: { country: 'US', device_type: 'desktop', is_bot: 'true', bot_score: '95' },
}
const pause = 200, // ms between the last change and the request
  draws = 1000 // number of simulated visitors in the mode `many`, which shows how visitors are distributed

const newSeed = () => Math.floor(Math.random() * 1e6)

// visitorToSend returns a visitor in the form that the service accepts.
const visitorToSend = (v: Visitor) =>
  Object.fromEntries(
    Object.entries(v)
      .filter(([, o]) => o !== '')
      .map(([k, o]) => [k, o === 'true' ? true : o === 'false' ? false : o]),
  )

// useSimulation sends the draft and a visitor to the service, `pause` ms after the last change.
function useSimulation({ campaign: c, draft, light }: Props, question: Question) {
  const [result, setResult] = useState<Simulated>(),
    [error, setError] = useState<ApiError>()
  const draftText = JSON.stringify(draft),
    questionText = JSON.stringify(question)
  useEffect(() => {
    if (draft.length === 0) {
      setResult(undefined)
      light({})
      return
    }
    const stop = new AbortController(),
      { click, visitor, seed, time, mode } = question
    const timer = setTimeout(() => {
      const body = {
        streams: toSend(draft),
        blocks_of: c.id,
        flow_rotation: c.flow_rotation,
        bind_visitors: c.bind_visitors,
        fallback_url: c.fallback_url,
        destination_url: c.destination_url,
        visitor: { ...(click ? {} : { campaign_id: c.id, ...(c.source_id ? { source_id: c.source_id } : {}) }), ...visitorToSend(visitor) },
        seed,
        ...(time ? { at: time.replace('T', ' ') + ':00' } : {}),
        ...(click ? { click_id: click } : {}),
        ...(mode === 'many' ? { draws } : {}),
      }
      call('POST /tools/simulate', { body, signal: stop.signal }).then(
        answer => {
          setResult(answer)
          setError(undefined)
          const d = answer.decision
          light(mode === 'one' && d ? { path: d.path_id, lander: d.lander_id, offer: d.offer_id, url: d.url } : {})
        },
        e => {
          if (!stop.signal.aborted) {
            setError(asError(e))
            light({})
          }
        },
      )
    }, pause)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- draftText, questionText and the settings of c hold what is sent
  }, [draftText, questionText, c.flow_rotation, c.bind_visitors, c.fallback_url, c.destination_url])
  return { result, error }
}

// Simulate sends a made-up visitor, or a visitor from the log, through the flow on the screen.
export function Simulate(p: Props) {
  const click = place.value.query.get('visitor') ?? ''
  const [preset, setPreset] = useState(click ? '' : 'german'),
    [question, setQuestion] = useState<Question>(() => ({
      click,
      visitor: click ? {} : presets.german!,
      seed: newSeed(),
      time: '',
      mode: 'one',
    })),
    { mode } = question,
    { result, error } = useSimulation(p, question)
  const set = (change: Partial<Question>) => setQuestion({ ...question, ...change })
  const pick = (name: string) => {
    setPreset(name)
    set({ click: '', visitor: presets[name]! })
  }
  return (
    <section class="card simulate" data-simulate aria-label={simulateWords.title}>
      <header>
        <h2>{simulateWords.title}</h2>
        <span class="grow" />
        <Seg
          label={simulateWords.how}
          value={mode}
          options={[
            { value: 'one', label: simulateWords.one },
            { value: 'many', label: count(draws) },
          ]}
          on={mode => set({ mode })}
        />
      </header>
      <div class="body">
        <div class="row wraps">
          {Object.keys(presets).map(name => (
            <button
              key={name}
              type="button"
              class={'chip' + (preset === name ? ' on' : '')}
              aria-pressed={preset === name}
              onClick={() => pick(name)}>
              {simulateWords.presets[name]}
            </button>
          ))}
          {question.click ? (
            <span class="chip on">
              {simulateWords.fromClick}
              <button type="button" aria-label={t.parts.remove(simulateWords.fromClick)} onClick={() => pick('german')}>
                <Icon name="x" />
              </button>
            </span>
          ) : (
            <a class="chip add" href={to(`/app/campaigns/${p.campaign.id}/clicks`)}>
              <Icon name="clicks" />
              {simulateWords.fromClick}
            </a>
          )}
        </div>
        <VisitorFields
          of={question}
          sources={choicesOf(p.sources)}
          sourceName={question.click ? undefined : p.campaign.source_name}
          set={set}
          change={(name, value) => {
            setPreset('')
            set({ visitor: { ...question.visitor, [name]: value } })
          }}
        />
      </div>
      {error ? (
        <div class="came bad" role="alert">
          <span>{flowWords.codes[error.code] ?? sentence(error)}</span>
          {error.code in flowWords.codes && <Button look="sm" onClick={() => p.showError(error)} text={simulateWords.showIt} />}
        </div>
      ) : result && mode === 'one' ? (
        <Route of={result} book={p.book} />
      ) : (
        result?.distribution && <Distribution of={result} book={p.book} />
      )}
      <p class="dim fine formfoot">{simulateWords.text}</p>
    </section>
  )
}

type VisitorProps = {
  of: Question
  sources?: Choice[]
  sourceName?: string | null
  set: (change: Partial<Question>) => void
  change: (name: string, value: string) => void
}

// VisitorFields edits the attributes of the visitor, the time of the visit and the random number.
function VisitorFields({ of: { visitor, time, seed }, sources, sourceName, set, change }: VisitorProps) {
  const shown = [...new Set(['country', 'device_type', 'os', 'source_id', ...Object.keys(visitor)])],
    subs = useContext(Named)
  return (
    <>
      <div class="grid two">
        {shown.map(name => (
          <Attribute
            key={name}
            name={name}
            value={visitor[name] ?? ''}
            sources={sources}
            on={v => change(name, v)}
            usual={name === 'source_id' && !('source_id' in visitor) ? sourceName : undefined}
          />
        ))}
        <label class="field">
          <span class="label">{simulateWords.when}</span>
          <input class="input" type="datetime-local" value={time} onInput={e => set({ time: e.currentTarget.value })} />
        </label>
        <div class="field">
          <span class="label">{simulateWords.seed}</span>
          <span class="row">
            <Input
              class="mono"
              inputMode="numeric"
              aria-label={simulateWords.seed}
              value={String(seed)}
              on={v => set({ seed: Number(v.replace(/\D/g, '').slice(0, 12)) })}
            />
            <Button
              look="icon"
              aria-label={simulateWords.again}
              title={simulateWords.again}
              onClick={() => set({ seed: newSeed() })}
              icon="dice"
            />
          </span>
        </div>
      </div>
      <Menu
        kind="btn sm quiet"
        name={simulateWords.another}
        label={
          <>
            <Icon name="plus" />
            {simulateWords.another}
          </>
        }>
        {close => (
          <DimensionChoices
            list={attributes.filter(a => !shown.includes(a) && a !== 'schedule' && a !== 'date')}
            text={a => attributeName(a, subs)}
            pick={a => {
              close()
              change(a, '')
            }}
          />
        )}
      </Menu>
    </>
  )
}

type Way = { path: string; via: string; lander_id: string | null; offer_id: string | null }

// wayOf returns the names of the path, the landing page and the offer that a visitor gets.
const wayOf = (d: Way, book: Book) => [
  d.path || (t.trace.fallbacks[d.via] ?? d.via),
  ...[d.lander_id, d.offer_id].filter(Boolean).map(id => displayName({ id: id!, weight: 1 }, book.known, t.gone)),
]

// Route shows where one visitor goes, and why.
function Route({ of: { decision: d, campaigns }, book }: { of: Simulated; book: Book }) {
  const param = d?.offer_id && !d.lander_id ? book.clickParams.get(d.offer_id) : undefined,
    url = d && withClickID(d.url, param ?? '')
  return (
    <>
      <div class="came" role="status">
        <div class="row wraps strong">
          {(d ? wayOf(d, book) : [t.trace.fallbacks.none!]).map((name, i) => (
            <>
              {i > 0 && <Icon name="right" />}
              <span>{name}</span>
            </>
          ))}
        </div>
        {d && url && (
          <div class="mono dim cut" title={url}>
            {d.transition} {url}
          </div>
        )}
      </div>
      <Trace campaigns={campaigns} decision={d ?? null} names={book.known.names} />
    </>
  )
}

// Distribution shows where many visitors with the same attributes would go.
function Distribution({ of, book }: { of: Simulated; book: Book }) {
  const rows = of.distribution ?? [],
    sum = rows.reduce((n, r) => n + r.count, 0)
  return (
    <div class="places" role="status">
      {rows.map((r, i) => {
        const name = wayOf(r, book).join(' › ')
        return (
          <div key={i} class="barline">
            <i style={`--share:${r.count / sum}`} />
            <span class="cut" title={name}>
              {name}
            </span>
            <span class="grow" />
            <b class="num">{count(r.count)}</b>
            <span class="dim num">{shareText(r.count / sum)}</span>
          </div>
        )
      })}
    </div>
  )
}

type AttributeProps = { name: string; value: string; on: (v: string) => void; sources?: Choice[]; usual?: string | null }

function Attribute({ name, value, on, sources, usual }: AttributeProps) {
  const form = formOf(name, operatorsOf(name)[0] ?? 'equals'),
    label = attributeName(name, useContext(Named))
  const choices: Choice[] | undefined =
    name === 'source_id'
      ? sources
      : form?.kind === 'truth'
        ? ['true', 'false'].map(v => ({ value: v, label: v === 'true' ? t.conditions.yes : t.conditions.no }))
        : form?.values.length
          ? form.values.map(v => ({ value: v, label: valueName(name, v), side: name === 'country' ? v : undefined }))
          : undefined
  return (
    <div class="field">
      <span class="label">{label}</span>
      {choices || name === 'source_id' ? (
        <Combobox
          label={label}
          value={value}
          shown={value ? undefined : (usual ?? '')}
          placeholder={t.unknown}
          choices={choices}
          clear
          on={on}
        />
      ) : (
        <Input aria-label={label} value={value} placeholder={t.unknown} on={on} />
      )}
    </div>
  )
}
