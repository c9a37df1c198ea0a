import { useEffect, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import { Button, Link } from './button.tsx'
import { Sign } from './icons.tsx'
import { isOpen, jobs, type Job } from '../core/jobs.ts'
import { place, to } from '../core/router.ts'
import { t } from '../core/text.ts'
import { sentence } from '../core/errors.ts'
import { ApiError } from '../core/call.ts'

const w = t.exports,
  stays = 15_000 // ms for which a job stays in the tray after its end
// hidden holds the keys of the jobs that the person has removed from the tray.
const hidden = signal<Set<string>>(new Set())

// causeOfJob returns the result of a job as text, or the reason why it failed.
export const causeOfJob = (j: Job) => (j.code ? sentence(new ApiError(j.code, 0, j.text || j.code)) : (j.text ?? ''))

// Since shows the time from the start of a job until now, or until its end.
export function Since({ of: j }: { of: Job }) {
  const [, setTick] = useState(0),
    open = isOpen(j)
  useEffect(() => {
    if (!open) return
    const timer = setInterval(() => setTick(n => n + 1), 1000)
    return () => clearInterval(timer)
  }, [open])
  return <>{w.since(Math.max(0, Math.round(((j.ended ?? Date.now()) - j.at) / 1000)))}</>
}

export const JobIcon = ({ of: j }: { of: Job }) => (
  <Sign
    name={j.status === 'failed' ? 'warn' : j.status === 'done' ? 'check' : 'clock'}
    tone={j.status === 'failed' ? 'bad' : j.status === 'done' ? 'good' : 'accent'}
  />
)

// Tray shows up to three jobs that wait or run, at the bottom right of every screen except the screen of jobs. For a few seconds
// it may also show the result of a job that was started in this tab.
export function Tray() {
  const [, setTick] = useState(0),
    onJobsScreen = place.value.path === '/app/exports'
  const seen = jobs().filter(j => !hidden.value.has(j.key)),
    open = seen.filter(isOpen).slice(0, 3)
  const ended = seen
    .filter(
      j =>
        !isOpen(j) &&
        !j.listed &&
        !j.told &&
        Date.now() - (j.ended ?? 0) < stays &&
        (j.status === 'failed' || j.path?.split('?')[0] !== place.value.path),
    )
    .slice(0, 1)
  const list = [...open, ...ended]
  const ending = list.some(j => !isOpen(j))
  useEffect(() => {
    if (!ending) return
    const timer = setInterval(() => setTick(n => n + 1), 2000)
    return () => clearInterval(timer)
  }, [ending])
  return (
    <section class={'tray' + (list.length && !onJobsScreen ? '' : ' off')} role="region" aria-label={w.tray}>
      <div role="status" aria-live="polite">
        {!onJobsScreen && list.length > 0 && (
          <ul>
            {list.map(j => (
              <li key={j.key} class="card row">
                <JobIcon of={j} />
                <div class="grow">
                  <div class="strong cut" title={j.name}>
                    {j.name}
                  </div>
                  <div class="dim fine">
                    {isOpen(j) ? (
                      <>
                        <span class="meter wait" aria-hidden="true">
                          <i />
                        </span>
                        <span aria-hidden="true">
                          {w.running} <Since of={j} />
                        </span>
                        <span class="hidden">{w.running}</span>
                      </>
                    ) : (
                      <span class="wrap">{causeOfJob(j) || w.done}</span>
                    )}
                  </div>
                </div>
                {j.file ? (
                  <Link look="sm" href={j.file} download text={w.download} />
                ) : (
                  <Link
                    look="sm quiet"
                    href={to(j.path && !isOpen(j) ? j.path : '/app/exports')}
                    text={j.path && !isOpen(j) ? t.campaigns.openIt : w.all}
                  />
                )}
                <Button
                  look="sm quiet icon"
                  aria-label={`${w.hide}: ${j.name}`}
                  onClick={() => {
                    hidden.value = new Set(hidden.value).add(j.key)
                  }}
                  icon="x"
                />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  )
}
