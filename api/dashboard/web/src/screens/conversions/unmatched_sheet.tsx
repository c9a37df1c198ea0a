import { useEffect, useState } from 'preact/hooks'
import type { NetworkRow, PostbackRow, ReplayOutcome } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part, Fact } from '../../parts/card.tsx'
import { useAttempt, useBusy } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { dateTime } from '../../core/dates.ts'
import { bodyOf, causeOf, fields, paramsOf, causeText } from '../../core/incoming.ts'
import { t } from '../../core/text.ts'
import { postbackNames } from '../../columns.gen.ts'
import { FormError, InputField, wrongOf } from '../../parts/form.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Stepper, useLetters, type Steps } from '../../parts/stepper.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { handleSubmit } from '../../core/submit.ts'
import { latestOf, versionOf } from '../../core/latest.ts'
import { Raw, replay } from './received.tsx'
import { w as said } from '../../text/reasons.ts'
import { unmatchedWords } from '../../text/unmatched.ts'

const w = { ...t.unmatched, ...unmatchedWords }

// preview returns the result that a replay of a postback would have. It asks for a dry run over the one second in which the
// postback arrived, and changes nothing.
async function preview(row: PostbackRow): Promise<ReplayOutcome | undefined> {
  const second = row.at.slice(0, 19).replace('T', ' ')
  const answer = await call('POST /logs/postbacks/replay', {
    query: { from: second, to: second },
    body: { ...(row.network_id ? { network: row.network_id } : {}), dry_run: true },
  })
  return answer.outcomes.find(o => o.id === row.id)
}

type SheetProps = { of: PostbackRow; network?: NetworkRow; close: () => void; step: Steps }

// PostbackSheet shows a postback without a click: its parameters, the reason, and how the network's parameters are read.
export function PostbackSheet({ of: row, network, close, step }: SheetProps) {
  const [outcome, setOutcome] = useState<ReplayOutcome>(),
    [busy, start] = useBusy(),
    [reloads, setReloads] = useState(0)
  const settings = network?.postback_params ?? {},
    cause = causeOf(row, settings),
    may = canWrite()
  useEffect(() => {
    let isShown = true
    if (may)
      void preview(row).then(
        o => {
          if (isShown) setOutcome(o)
        },
        () => undefined,
      )
    return () => {
      isShown = false
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a row that is loaded again has the same outcome
  }, [row.id, reloads])
  const run = () =>
    start(async () => {
      await replay(row)
      close()
    })
  useLetters(step, may ? { r: () => void run() } : {})
  return (
    <Sheet
      side
      reads
      title={w.sheet}
      close={close}
      foot={
        <>
          {outcome && (
            <span class={'fine ' + (outcome.result === 'matched' ? 'good' : 'warn')} role="status">
              {w.would[outcome.result]}
            </span>
          )}
          <span class="grow" />
          <Stepper of={step} />
          {may && <Button look="primary" disabled={busy} onClick={() => void run()} text={w.one} letter="R" />}
        </>
      }>
      <div class="story">
        <Part title={w.likely}>
          <p class="strong wrap">{causeText(cause)}</p>
          <p class="soft">{w.todo[cause.kind]}</p>
          <dl class="facts">
            <Fact name={w.service} value={said.of(outcome?.reason || row.reason)} look="wrap" />
            <Fact name={w.arrived} value={dateTime(row.at)} />
            <Fact name={t.conversions.network} value={row.network_name || w.none} look="wrap" />
            <Fact name={t.campaigns.domain} value={row.domain} look="wrap" />
            <Fact name={w.sender} value={row.ip} look="wrap" />
          </dl>
        </Part>
        <Raw of={row} settings={settings} />
        {network ? (
          <Reading
            key={network.id}
            of={network}
            row={row}
            done={() => {
              setOutcome(undefined)
              setReloads(n => n + 1)
            }}
          />
        ) : (
          <section class="part">
            <p class="dim">{w.noNetwork}</p>
          </section>
        )}
      </div>
    </Sheet>
  )
}

// Reading edits the settings of a network that say which parameter of its postbacks holds which field, such as the payout.
function Reading({ of: network, row, done }: { of: NetworkRow; row: PostbackRow; done: () => void }) {
  const [draft, setDraft] = useState<Record<string, string>>(network.postback_params),
    { busy, wrong, run } = useAttempt(e => wrongOf(asError(e), fields))
  const names = [...new Set(paramsOf(row.query).map(([name]) => name))],
    list = 'params-' + row.id
  const save = () =>
    run(async () => {
      const now = (await latestOf('networks', network)) ?? network
      await call('PUT /networks', {
        body: bodyOf(now, Object.fromEntries(Object.entries(draft).filter(([, v]) => v.trim()))),
        match: versionOf(now),
      })
      toastAndReload(w.saved(network.name), 'networks')
      done()
    })
  return (
    <Part look="reading" title={w.settings(network.name)}>
      <p class="dim">{w.settingsText}</p>
      <form class="fields" onSubmit={handleSubmit(save)}>
        <datalist id={list}>
          {names.map(n => (
            <option key={n} value={n} />
          ))}
        </datalist>
        {fields.map(f => (
          <InputField
            key={f}
            label={w.fields[f]!}
            hint={w.usual(postbackNames[f]!.slice(0, 3).join(', '))}
            error={wrong?.field === f ? wrong.text : undefined}
            class="mono"
            {...{ list }}
            maxLength={100}
            disabled={!canWrite()}
            value={draft[f] ?? ''}
            on={v => setDraft({ ...draft, [f]: v })}
          />
        ))}
        {canWrite() && (
          <div class="across">
            <Button type="submit" disabled={busy} text={w.saveAndCheck} />
          </div>
        )}
      </form>
      <FormError wrong={wrong} />
    </Part>
  )
}
