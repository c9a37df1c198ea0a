import { useEffect, useState } from 'preact/hooks'
import type { JobAnswer, Range } from '../../api.gen.ts'
import { Sign } from '../../parts/icons.tsx'
import { count } from '../../core/format.ts'
import { touches, use } from '../../core/query.ts'
import { w } from '../../text/bots.ts'

// Rescored is the result of a job that scores clicks again.
type Rescored = { clicks: number; changed: number; bots_before: number; bots_after: number; superseded: boolean }
const every = 2 // seconds between reloads
const changedRows = ['bot-detection', 'reports', 'logs', 'stats', 'campaigns']

// Rescoring shows the job that scores clicks again and, when it has ended, its result.
export function Rescoring({ id, range }: { id: string; range: Range }) {
  const [lastJob, setLastJob] = useState<JobAnswer>(),
    { data = lastJob } = use('GET /jobs/{id}', lastJob ? null : {}, every, { id }),
    ended = data?.status === 'done' || data?.status === 'failed',
    done = data?.status === 'done' ? (data.result as Rescored) : undefined
  useEffect(() => {
    if (ended) {
      setLastJob(data)
      touches(...changedRows)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the job is stored once, when it has ended
  }, [ended])
  return (
    <section class="card row notice" role="status">
      <Sign
        name={data?.status === 'failed' ? 'warn' : done ? 'check' : 'clock'}
        tone={data?.status === 'failed' ? 'bad' : done ? 'good' : 'accent'}
      />
      <div class="grow">
        {data?.status === 'failed' ? (
          <div class="strong">
            {w.failed}: {data.error?.message}
          </div>
        ) : done ? (
          <>
            <div class="strong">{w.rescored(done.changed, count(done.changed), count(done.clicks))}</div>
            <div class="dim fine">{done.superseded ? w.superseded : w.before(count(done.bots_before), count(done.bots_after))}</div>
          </>
        ) : (
          <>
            <div class="strong">{w.job}</div>
            <span class="meter wait">
              <i />
            </span>
            <div class="dim fine">{w.running(range.from, range.to)}</div>
          </>
        )}
      </div>
    </section>
  )
}
