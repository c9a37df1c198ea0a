import { useState } from 'preact/hooks'
import type { ChatProposal, CopilotAnswer, CopilotBody, CopilotChange } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Sign } from '../../parts/icons.tsx'
import { useAttempt } from '../../core/busy.ts'
import { asError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Empty, Alert } from '../../parts/state.tsx'
import { w } from '../../text/copilot.ts'
import { act } from './act.ts'
import { Change, Details, Why } from './change.tsx'
import { errorText } from './text.ts'

// History shows the changes that the Copilot made, and the changes that the chat proposed.
export function History({ of: data }: { of: CopilotAnswer }) {
  return (
    <>
      <Card title={w.history}>
        {data.changes.length === 0 ? (
          <Empty title={w.noHistory} more={w.noHistoryMore} />
        ) : (
          <ul class="list history">
            {data.changes.map(c => (
              <ChangeMade key={c.id} of={c} />
            ))}
          </ul>
        )}
      </Card>
      {data.proposals.length > 0 && (
        <Card title={w.proposals}>
          <ul class="list history">
            {data.proposals.map(p => (
              <li key={p.id}>
                <Proposed of={p} may={data.canApply} undone={data.changes.some(c => c.proposal_id === p.id && c.status === 'undone')} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

// ChangeMade shows a change that the Copilot made, with a button that undoes it.
function ChangeMade({ of: c }: { of: CopilotChange }) {
  const { busy, wrong: error, run } = useAttempt(asError),
    undone = c.status === 'undone'
  const undo = () => run(() => act({ action: 'undo', id: c.id }, w.undone(w.suggestion(c.title))))
  return (
    <li>
      <Sign name={undone ? 'back' : 'check'} tone={undone ? '' : 'good'} />
      <div class="grow">
        <div class="t wrap">{w.suggestion(c.title)}</div>
        <div class="d wrap">
          {[
            dateTime(c.created_at),
            ago(c.created_at),
            w.from[c.rule_id ? 'rule' : c.proposal_id ? 'proposal' : 'suggestion'],
            undone && c.undone_at ? w.isUndone(ago(c.undone_at)) : w.proposalStates.applied,
          ].join(' · ')}
        </div>
        <Details label={w.details}>
          {() => (
            <>
              {c.evidence && <Why of={c.evidence} />}
              <Change id={c.id} />
              {c.campaign_id && (
                <p>
                  <a class="link" href={to(`/app/campaigns/${c.campaign_id}/flow`)}>
                    {w.toFlow}
                  </a>
                </p>
              )}
            </>
          )}
        </Details>
        {error && <Alert text={errorText(error)} />}
      </div>
      {!undone && canWrite() && (
        <Button
          look="sm"
          disabled={busy}
          aria-label={`${t.parts.undo}: ${w.suggestion(c.title)}`}
          onClick={() => void undo()}
          text={t.parts.undo}
        />
      )}
    </li>
  )
}

// Proposed shows a change that the chat proposed, for a person to apply or reject. With `undone`, the change was applied and
// undone later.
export function Proposed({ of: p, may, undone = false }: { of: ChatProposal; may: boolean; undone?: boolean }) {
  const { busy, wrong: error, run } = useAttempt(asError),
    [sentStatus, setSentStatus] = useState(p.status),
    open = sentStatus === 'open' && p.status === 'open',
    state = open ? 'open' : undone ? 'undone' : sentStatus === 'open' ? p.status : sentStatus
  const send = (action: CopilotBody['action'], status: ChatProposal['status'], done: string, undone?: string) =>
    run(async () => {
      await act({ action, id: p.id }, done, undone)
      setSentStatus(status)
    })
  return (
    <div class="grow proposal">
      <div class="row wraps">
        <b class="wrap">{p.title}</b>
        <span class={'tag ' + (open ? 'accent' : state === 'applied' ? 'good' : '')}>{w.proposalStates[state] ?? state}</span>
      </div>
      {p.reason && (
        <p class="soft wrap">
          {w.reason}: {p.reason}
        </p>
      )}
      <Details label={w.change}>{() => <Change id={p.id} />}</Details>
      {error && <Alert text={errorText(error)} />}
      {open && canWrite() && (
        <div class="row wraps">
          {may && (
            <Button
              look="sm primary"
              disabled={busy}
              aria-label={w.applyOf(p.title)}
              onClick={() => void send('apply_proposal', 'applied', w.applied(p.title), w.undone(p.title))}
              text={w.apply}
            />
          )}
          <Button
            look="sm"
            disabled={busy}
            aria-label={`${w.cancel}: ${p.title}`}
            onClick={() => void send('cancel_proposal', 'cancelled', w.cancelled)}
            text={w.cancel}
          />
          <span class="dim fine">{w.expires(dateTime(p.expires_at))}</span>
        </div>
      )}
    </div>
  )
}
