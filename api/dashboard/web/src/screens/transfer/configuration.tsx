import { useState } from 'preact/hooks'
import { Button, Link } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { task } from '../../core/jobs.ts'
import { touches, use } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { InputField, SelectField } from '../../parts/form.tsx'
import { Empty, Failed, Loading } from '../../parts/state.tsx'
import { Two } from '../../parts/two.tsx'
import { w } from '../../text/config.ts'
import { Plan } from './plan.tsx'
import { FileField } from './file_field.tsx'

const mostBytes = 32 << 20

// Configuration offers the account's configuration as a document, and shows what an uploaded document would change.
export function Configuration() {
  const plan = place.value.query.get('plan')
  return (
    <div class="grid">
      <Card title={w.document}>
        <div class="part">
          <p class="dim">{w.documentText}</p>
          <div class="row wraps">
            <Link href="/api/v1/config" download="switchyard.yaml" icon="download" text={w.download} />
            <Link href="/api/v1/config?format=json" download="switchyard.json" look="quiet" text={w.downloadJSON} />
          </div>
        </div>
      </Card>
      {canWrite() && <Upload />}
      {plan && <Plan key={plan} id={plan} />}
      <Plans open={plan} />
    </div>
  )
}

// Upload sends a document, and opens the plan of the changes that it would make.
function Upload() {
  const [text, setText] = useState(''),
    [scope, setScope] = useState<'none' | 'group' | 'tag'>('none'),
    [named, setNamed] = useState(''),
    { busy, wrong: error, run } = useAttempt(asError)
  const send = () =>
    run(async () => {
      const prune = scope === 'none' ? {} : { [scope]: named }
      const made = await task(w.planning, 'POST /config/plan', { body: { document: text, prune } }, () => ({ text: w.planned }))
      touches('config')
      change({ plan: made.plan_id })
    })
  const tooLarge = text.length > mostBytes
  return (
    <Card title={w.upload}>
      <div class="part">
        <p class="dim">{w.uploadText}</p>
        <FileField id="document" label={w.file} accept=".yaml,.yml,.json" on={file => void file?.text().then(setText)} />
        <textarea
          class="input area mono"
          rows={8}
          aria-label={w.text}
          value={text}
          spellcheck={false}
          onInput={e => setText(e.currentTarget.value)}
        />
        <div class="two">
          <SelectField
            label={w.prune}
            value={scope}
            options={[
              { value: 'none', label: w.pruneNone },
              { value: 'group', label: w.pruneGroup },
              { value: 'tag', label: w.pruneTag },
            ]}
            on={setScope}
          />
          {scope !== 'none' && <InputField label={w.pruneName} value={named} on={setNamed} hint={w.pruneHint} />}
        </div>
        {tooLarge && <p class="bad">{w.tooLarge}</p>}
        {error && <Failed error={error} again={() => void send()} />}
        <div class="row">
          <Button
            look="primary"
            disabled={busy || tooLarge || !text.trim() || (scope !== 'none' && !named.trim())}
            onClick={() => void send()}
            text={w.check}
          />
        </div>
      </div>
    </Card>
  )
}

// Plans lists the newest plans of changes.
export function Plans({ open }: { open: string | null }) {
  const { data, error, again } = use('GET /config/plans', {})
  return (
    <Card title={w.plans} note={w.plansText}>
      {!data ? (
        <Loading of={{ error, again }} height={80} />
      ) : data.rows.length === 0 ? (
        <Empty title={w.noPlans} />
      ) : (
        <ul class="list jobs">
          {data.rows.map(p => (
            <li key={p.plan_id}>
              <div class="grow">
                <Two a={w.origins[p.origin] ?? p.origin} b={`${w.states[p.state]} · ${ago(p.created_at)}`} />
              </div>
              <span class="dim fine nowrap" title={dateTime(p.created_at)}>
                {w.counts(p.counts)}
              </span>
              <Button
                look="sm"
                aria-pressed={open === p.plan_id}
                onClick={() => change({ plan: open === p.plan_id ? null : p.plan_id })}
                text={open === p.plan_id ? t.close : w.look}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
