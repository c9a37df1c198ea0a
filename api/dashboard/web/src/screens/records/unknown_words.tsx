import type { NetworkRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useBusy } from '../../core/busy.ts'
import { call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { ago } from '../../core/dates.ts'
import { recordWords } from '../../text/records.ts'
import { failed, toastAndReload } from '../../core/toast.ts'

const statuses = ['approved', 'pending', 'rejected', 'chargeback'] as const

// UnknownWords lists the words in the status parameter of a network's postbacks that have no meaning here yet.
export function UnknownWords({ of: n }: { of: NetworkRow }) {
  const [busy, run] = useBusy()
  if (n.unknown_words.length === 0) return null
  const map = (word: string, status: (typeof statuses)[number]) =>
    run(async () => {
      await call('PATCH /networks', { body: { id: n.id, status_map: { [status]: [word] } } })
      toastAndReload(recordWords.wordMapped(word, recordWords.statuses[status]!), 'networks')
    }, failed)
  return (
    <section class="part">
      <h3 class="label">{recordWords.unknownWords}</h3>
      <p class="dim">{recordWords.unknownWordsText}</p>
      <ul class="list">
        {n.unknown_words.map(w => (
          <li key={w.word}>
            <div class="grow">
              <div class="t mono wrap">{w.word}</div>
              <div class="d">{recordWords.wordCame(w.count, ago(w.last_at))}</div>
            </div>
            {canWrite() && (
              <div class="row wraps" role="group" aria-label={recordWords.wordMeans(w.word)}>
                {statuses.map(s => (
                  <Button key={s} look="sm" disabled={busy} onClick={() => void map(w.word, s)} text={recordWords.statuses[s]} />
                ))}
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
