import { useEffect, useState } from 'preact/hooks'
import type { CertificateAnswer, DomainRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { asError, call, type ApiError } from '../../core/call.ts'
import { dateOf } from '../../core/dates.ts'
import { touches } from '../../core/query.ts'
import { w } from '../../text/domains.ts'
import { Icon } from '../../parts/icons.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { Alert } from '../../parts/state.tsx'
import { sentence } from '../../core/errors.ts'
import { toast } from '../../core/toast.ts'
import { Certificate, mayChange } from './shared.tsx'

// order maps the state of a certificate to its progress: 1 requested, 2 ownership checked, 3 issued, 4 in use.
const order: Record<string, number> = {
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
const names = ['verified', 'asked', 'checked', 'issued', 'serving'] as const
// doneOf reports for each step whether it is done. The last check of the domain tells where it leads and whether HTTPS answers.
// Before the first check, the state of the certificate stands for HTTPS.
function doneOf(d: DomainRow, status: string): boolean[] {
  const far = order[status] ?? 0
  return [d.is_verified && d.points !== false, far >= 1, far >= 2, far >= 3, d.checked_at ? d.https === true : far >= 4]
}
const live = 10000 // ms between reloads while the certificate is being made

const fits = (status: string) =>
  /^(initializing|pending_(validation|issuance|deployment)|staging_deployment|holding_deployment)$/.test(status)

// CertificateSteps shows the progress of a domain's certificate, its problems, and the possible actions. tell is called with each
// answer about the certificate.
export function CertificateSteps({ of: d, tell }: { of: DomainRow; tell: (c: CertificateAnswer) => void }) {
  const [certificate, setCertificate] = useState<CertificateAnswer>(),
    [error, setError] = useState<ApiError>(),
    [busy, setBusy] = useState(false),
    [releasing, setReleasing] = useState(false),
    may = mayChange()
  const took = (got: CertificateAnswer) => {
    setCertificate(got)
    tell(got)
    setError(undefined)
  }
  const look = () => {
    setBusy(true)
    return call('GET /domains/{id}/certificate', { path: { id: d.id } })
      .then(took, e => setError(asError(e)))
      .finally(() => setBusy(false))
  }
  const request = () => {
    setBusy(true)
    void call('POST /domains/{id}/certificate', { path: { id: d.id } })
      .then(
        got => {
          took(got)
          touches('domains')
        },
        e => setError(asError(e)),
      )
      .finally(() => setBusy(false))
  }
  const status = certificate?.ssl_status ?? d.ssl_status
  useEffect(() => {
    void look()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- look is a new function in each render
  }, [d.ssl_status, d.is_verified])
  useEffect(() => {
    if (!fits(status)) return
    const timer = setInterval(() => {
      if (!document.hidden) void look()
    }, live)
    return () => clearInterval(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- look is a new function in each render
  }, [status])
  if (error?.code === 'edge_not_configured')
    return (
      <Part title={w.certificate}>
        <p class="dim">{w.noEdge}</p>
      </Part>
    )
  const reached = doneOf(d, status),
    next = reached.indexOf(false),
    wrong = certificate?.errors ?? [],
    stuck = /_timed_out$|^(expired|inactive|deleted)$/.test(status)
  return (
    <section class="part certificate">
      <div class="row">
        <h2 class="grow">{w.certificate}</h2>
        <Certificate status={status} />
      </div>
      <ol class="steps">
        {names.map((name, i) => {
          const done = reached[i],
            here = next === i
          return (
            <li key={name} class={done ? 'done' : here && (stuck || wrong.length > 0) ? 'wrong' : here ? 'here' : ''}>
              <span class="mark">
                {done ? (
                  <Icon name="check" />
                ) : here && (stuck || wrong.length > 0) ? (
                  <Icon name="warn" />
                ) : (
                  <span class="num">{i + 1}</span>
                )}
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
      {wrong.length > 0 && (
        <div role="alert">
          <h3 class="label">{w.wrong}</h3>
          <ul class="bullets bad">
            {wrong.map(e => (
              <li key={e} class="wrap">
                {e}
              </li>
            ))}
          </ul>
        </div>
      )}
      {error && <Alert look="bad wrap" text={sentence(error)} />}
      <div class="row wraps">
        {may && (status !== 'active' || wrong.length > 0) && (
          <Button disabled={busy || !d.is_verified} onClick={request} text={stuck || wrong.length ? w.retry : w.request} />
        )}
        <Button look="quiet" disabled={busy} onClick={() => void look()} text={w.lookCertificate} />
        <span class="grow" />
        {may && status !== 'none' && <Button onClick={() => setReleasing(true)} text={w.release} />}
      </div>
      {releasing && (
        <Ask
          title={w.releaseTitle(d.domain)}
          text={w.releaseText}
          go={w.release}
          danger
          close={() => setReleasing(false)}
          on={() =>
            call('DELETE /domains/{id}/certificate', { path: { id: d.id } }).then(out => {
              touches('domains')
              toast(out.detail || w.released)
              void look()
            })
          }
        />
      )}
    </section>
  )
}
