import { useEffect, useState } from 'preact/hooks'
import type { CertificateAnswer, DomainRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { asError, call, type ApiError } from '../../core/call.ts'
import { dateOf } from '../../core/dates.ts'
import { touches } from '../../core/query.ts'
import { w } from '../../text/domains.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Alert } from '../../parts/state.tsx'
import { sentence } from '../../core/errors.ts'
import { toastAndReload } from '../../core/toast.ts'
import { Certificate, mayChange } from './shared.tsx'

// progress maps the status of a certificate to the number of its steps that are done: 1 requested, 2 ownership checked, 3 issued, 4 in
// use.
const progress: Record<string, number> = {
  initializing: 1,
  pending_validation: 1,
  pending_issuance: 2,
  pending_deployment: 3,
  staging_deployment: 3,
  staging_active: 3,
  holding_deployment: 3,
  backup_issued: 3,
  active: 4,
  initializing_timed_out: 0,
  validation_timed_out: 1,
  issuance_timed_out: 2,
  deployment_timed_out: 3,
}
const steps = ['verified', 'asked', 'checked', 'issued', 'serving'] as const
// doneOf reports for each step whether it is done. Before the first check of the domain, the status of the certificate says whether
// HTTPS answers.
function doneOf(d: DomainRow, status: string): boolean[] {
  const done = progress[status] ?? 0
  return [d.is_verified && d.points !== false, done >= 1, done >= 2, done >= 3, d.checked_at ? d.https === true : done >= 4]
}
const every = 10000 // ms between reloads while the certificate is being made

// isInProgress reports whether the certificate is being made.
const isInProgress = (status: string) =>
  /^(initializing|pending_(validation|issuance|deployment)|staging_deployment|holding_deployment)$/.test(status)

// CertificateSteps shows the progress of a domain's certificate, its problems, and the possible actions. onAnswer is called with
// each answer about the certificate.
export function CertificateSteps({ of: d, onAnswer }: { of: DomainRow; onAnswer: (c: CertificateAnswer) => void }) {
  const [certificate, setCertificate] = useState<CertificateAnswer>(),
    [error, setError] = useState<ApiError>(),
    [busy, setBusy] = useState(false),
    [question, ask] = useAsk(),
    may = mayChange()
  const load = async (method: 'GET' | 'POST') => {
    setBusy(true)
    try {
      const answer = await call(`${method} /domains/{id}/certificate`, { path: { id: d.id } })
      setCertificate(answer)
      onAnswer(answer)
      setError(undefined)
      if (method === 'POST') touches('domains')
    } catch (e) {
      setError(asError(e))
    }
    setBusy(false)
  }
  const release = async () => {
    const { detail } = await call('DELETE /domains/{id}/certificate', { path: { id: d.id } })
    toastAndReload(detail || w.released, 'domains')
    void load('GET')
  }
  const askToRelease = () => ask({ title: w.releaseTitle(d.domain), text: w.releaseText, go: w.release, danger: true, on: release })
  const status = certificate?.ssl_status ?? d.ssl_status
  useEffect(() => {
    void load('GET')
    // eslint-disable-next-line react-hooks/exhaustive-deps -- load is a new function in each render
  }, [d.ssl_status, d.is_verified])
  useEffect(() => {
    if (!isInProgress(status)) return
    const timer = setInterval(() => {
      if (!document.hidden) void load('GET')
    }, every)
    return () => clearInterval(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- load is a new function in each render
  }, [status])
  if (error?.code === 'edge_not_configured')
    return (
      <Part title={w.certificate}>
        <p class="dim">{w.noEdge}</p>
      </Part>
    )
  const reached = doneOf(d, status),
    next = reached.indexOf(false),
    errors = certificate?.errors ?? [],
    stuck = /_timed_out$|^(expired|inactive|deleted)$/.test(status),
    failed = stuck || errors.length > 0
  return (
    <section class="part certificate">
      <div class="row">
        <h2 class="grow">{w.certificate}</h2>
        <Certificate status={status} />
      </div>
      <ol class="steps">
        {steps.map((name, i) => {
          const done = reached[i],
            here = next === i
          return (
            <li key={name} class={done ? 'done' : !here ? '' : failed ? 'wrong' : 'here'}>
              <span class="mark">
                {done ? <Icon name="check" /> : here && failed ? <Icon name="warn" /> : <span class="num">{i + 1}</span>}
              </span>
              <span>
                {w.steps[name]}
                {!done && <span class="hidden"> {w.notYet}</span>}
              </span>
            </li>
          )
        })}
      </ol>
      {certificate && (
        <>
          {certificate.detail && (status !== 'active' || next < 0) && <p class="wrap">{certificate.detail}</p>}
          {certificate.edge && (
            <p class="dim">
              {w.edge} {w.edges[certificate.edge] ?? certificate.edge}.
              {certificate.expires_at && ' ' + w.ends(dateOf(Date.parse(certificate.expires_at)))}
            </p>
          )}
        </>
      )}
      {errors.length > 0 && (
        <div role="alert">
          <h3 class="label">{w.wrong}</h3>
          <ul class="bullets bad">
            {errors.map(e => (
              <li key={e} class="wrap">
                {e}
              </li>
            ))}
          </ul>
        </div>
      )}
      {error && <Alert look="bad wrap" text={sentence(error)} />}
      <div class="row wraps">
        {may && (status !== 'active' || errors.length > 0) && (
          <Button disabled={busy || !d.is_verified} onClick={() => void load('POST')} text={failed ? w.retry : w.request} />
        )}
        <Button look="quiet" disabled={busy} onClick={() => void load('GET')} text={w.lookCertificate} />
        <span class="grow" />
        {may && status !== 'none' && <Button onClick={askToRelease} text={w.release} />}
      </div>
      {question}
    </section>
  )
}
