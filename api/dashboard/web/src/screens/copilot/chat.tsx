import { useEffect, useRef, useState } from 'preact/hooks'
import type { ChatLookup } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt, useBusy } from '../../core/busy.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import { linkOf, sentOf, setTurns, turns, type Turn } from '../../core/chat.ts'
import { can } from '../../core/me.ts'
import { touches, use } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { Field, FormError, type Wrong, InputField, SelectField } from '../../parts/form.tsx'
import { LoadingCard } from '../../parts/state.tsx'
import { failed, toastAndReload } from '../../core/toast.ts'
import { handleSubmit } from '../../core/submit.ts'
import { w } from '../../text/copilot.ts'
import { errorText } from './text.ts'
import { Proposed } from './history.tsx'

// Chat asks a language model about the account.
export function Chat() {
  const state = use('GET /copilot/chat', {}),
    plan = use('GET /copilot', {})
  if (!state.data) return <LoadingCard of={state} height={240} />
  if (state.data.using === 'none') return <Connect />
  return <Talk may={!!plan.data?.canApply} available={state.data.available} message={state.data.message} using={state.data.using} />
}

// useQuestions sends a question with the turns before it. `busy` is true while an answer is awaited. `error` is the error of
// the last question.
function useQuestions() {
  const [busy, run] = useBusy(),
    [error, setError] = useState<ApiError>(),
    stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const sendQuestion = (question: string) => {
    const asked = [...turns(), { role: 'user', content: question } as Turn],
      controller = new AbortController()
    return run(
      async () => {
        stop.current = controller
        setTurns(asked)
        setError(undefined)
        const answer = await call('POST /copilot/chat', { body: { messages: sentOf(asked) }, signal: controller.signal })
        setTurns([...asked, { role: 'assistant', content: answer.answer || answer.message, answer }])
        if (answer.proposals.length) touches('copilot')
      },
      e => {
        setTurns([...asked.slice(0, -1), { ...asked.at(-1)!, failed: true }])
        if (!controller.signal.aborted) setError(asError(e))
      },
    )
  }
  const clear = () => {
    setTurns([])
    setError(undefined)
  }
  return { busy, error, sendQuestion, clear, stop: () => stop.current?.abort() }
}

// withReason explains an error. For an error of the provider of the language model it adds what the provider says.
const withReason = (error: ApiError) => errorText(error) + (error.code === 'ai_error' ? ' ' + error.message : '')

// Talk shows the conversation and the field for the next question.
function Talk({ may, available, message, using }: { may: boolean; available: boolean; message: string; using: string }) {
  const list = turns(),
    [text, setText] = useState(''),
    { busy, error, sendQuestion, clear, stop } = useQuestions()
  const send = (question: string) => {
    if (!question.trim() || busy) return
    setText('')
    void sendQuestion(question.trim())
  }
  return (
    <section class="card chat">
      <header>
        <h2>{w.tabs.chat}</h2>
        {w.using[using] && <span class="dim fine">{w.usingOf(w.using[using]!)}</span>}
        <span class="grow" />
        {list.length > 0 && <Button look="sm" disabled={busy} onClick={clear} text={w.again} />}
        {using === 'account' && can('member') && <Button look="sm quiet" onClick={disconnect} text={w.drop} />}
      </header>
      {list.length === 0 ? (
        <div class="empty">
          <p>{w.empty}</p>
          <div class="examples">
            {w.examples.map(e => (
              <button key={e} type="button" class="chip" disabled={!available} onClick={() => send(e)}>
                {e}
              </button>
            ))}
          </div>
        </div>
      ) : (
        <Turns list={list} busy={busy} may={may} />
      )}
      {error && (
        <p class="bad part" role="alert">
          {withReason(error)}
        </p>
      )}
      {!available && (
        <p class="warn part" role="status">
          {message}
        </p>
      )}
      <form class="part askform" onSubmit={handleSubmit(() => send(text))}>
        <Field label={w.ask} hint={w.askHint}>
          {wired => (
            <textarea
              {...wired}
              class="input area"
              rows={2}
              maxLength={8000}
              value={text}
              disabled={!available}
              onInput={e => setText(e.currentTarget.value)}
              onKeyDown={e => {
                if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) {
                  e.preventDefault()
                  send(text)
                }
              }}
            />
          )}
        </Field>
        <div class="row">
          {busy ? (
            <Button onClick={stop} text={w.stop} />
          ) : (
            <Button type="submit" look="primary" disabled={!available || !text.trim()} text={w.send} />
          )}
        </div>
      </form>
    </section>
  )
}

// Turns shows the questions and the answers, and scrolls to the last one.
function Turns({ list, busy, may }: { list: Turn[]; busy: boolean; may: boolean }) {
  const end = useRef<HTMLLIElement>(null)
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [list.length, busy])
  return (
    <ol class="turns" aria-live="polite">
      {list.map((o, i) => (
        <li key={i} class={o.role}>
          <div class="dim fine">{o.role === 'user' ? w.you : t.rooms.copilot}</div>
          <div class="said">{o.content || w.noAnswer}</div>
          {o.failed && <p class="dim fine">{w.failedNote}</p>}
          {o.answer && o.answer.lookups.length > 0 && (
            <div class="row wraps">
              <span class="dim fine">{w.lookups}</span>
              {o.answer.lookups.map((l, j) => (
                <LookedUp key={j} of={l} />
              ))}
            </div>
          )}
          {o.answer && o.answer.proposals.length > 0 && (
            <div class="grid">
              <h3>{w.proposed}</h3>
              {o.answer.proposals.map(p => (
                <div key={p.id} class="card inner">
                  <Proposed of={p} may={may} />
                </div>
              ))}
            </div>
          )}
        </li>
      ))}
      {busy && (
        <li class="assistant" aria-busy="true">
          <div class="dim fine">{t.rooms.copilot}</div>
          <span class="dim">{w.thinking}</span>
          <span class="meter wait" aria-hidden="true">
            <i />
          </span>
        </li>
      )}
      <li ref={end} class="endmark" aria-hidden="true" />
    </ol>
  )
}

// LookedUp names the data that the Copilot read in a look-up. If a screen of the dashboard shows these data, the name is a link
// to that screen.
function LookedUp({ of: l }: { of: ChatLookup }) {
  const link = linkOf(l),
    name = w.operations[l.operation] ?? l.operation,
    dimension = (d: string) => t.dimensions[d] ?? d
  const subject = [
    ...(l.query.dimension ?? '').split(',').map(dimension),
    ...Object.entries(l.query)
      .filter(([n]) => /^[fx]\./.test(n))
      .map(([n, v]) => `${dimension(n.slice(2))} ${v}`),
  ]
    .filter(Boolean)
    .join(', ')
  const content = (
    <>
      <b>{name}</b>
      {subject && <span class="cut"> {subject}</span>}
      <span class="dim"> {l.error ?? w.rows(l.rows)}</span>
    </>
  )
  return link ? (
    <a class="chip looked" href={link.path + (Object.keys(link.params).length ? '?' + new URLSearchParams(link.params) : '')}>
      {content}
    </a>
  ) : (
    <span class="chip looked">{content}</span>
  )
}

const disconnect = () => void call('DELETE /copilot/ai').then(() => toastAndReload(w.dropped, 'copilot'), failed)

const providers = [
  { value: 'openai', label: 'OpenAI' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'gemini', label: 'Google Gemini' },
  { value: 'openrouter', label: 'OpenRouter' },
]

const explain = (e: unknown): Wrong => {
  const error = asError(e)
  return { text: withReason(error), request: error.request }
}

// Connect explains that the chat needs a provider, and takes the provider's key.
function Connect() {
  const { data, error, again } = use('GET /copilot/ai', {}),
    [provider, setProvider] = useState('openai'),
    [key, setKey] = useState(''),
    { busy, wrong, setWrong, run } = useAttempt(explain)
  if (!data) return <LoadingCard of={{ error, again }} height={200} />
  const connect = async () => {
    if (!key.trim()) return setWrong({ field: 'apiKey', text: w.needsKey })
    await run(async () => {
      const answer = await call('POST /copilot/ai', { body: { action: 'connect', provider, apiKey: key.trim() } })
      setKey('')
      toastAndReload(w.connected(answer.connected?.model ?? provider), 'copilot')
    })
  }
  return (
    <Card look="narrow" title={w.connect}>
      <div class="part">
        <p class="soft">{w.connectText}</p>
        {!data.encryption ? (
          <p class="warn">{w.noEncryption}</p>
        ) : !data.canManage ? (
          <p class="warn">{w.connectOwner}</p>
        ) : (
          <form class="fields" onSubmit={handleSubmit(connect)}>
            <SelectField label={w.provider} value={provider} options={providers} on={setProvider} />
            <InputField
              label={w.apiKey}
              error={wrong?.field === 'apiKey' ? wrong.text : undefined}
              type="password"
              autocomplete="off"
              class="mono"
              value={key}
              maxLength={500}
              on={v => {
                setKey(v)
                setWrong(undefined)
              }}
            />
            <div class="across row">
              <Button type="submit" look="primary" disabled={busy} icon="check" text={t.nav.connect} />
            </div>
          </form>
        )}
        <FormError wrong={wrong} />
      </div>
    </Card>
  )
}
