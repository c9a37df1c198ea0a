import type { AssistantRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { call } from '../../core/call.ts'
import { ago, dateTime } from '../../core/dates.ts'
import { complain } from '../../core/people.ts'
import { use } from '../../core/query.ts'
import { toastAndReload } from '../../core/toast.ts'
import { w } from '../../text/connect.ts'
import { useAsk } from '../../parts/ask.tsx'
import { Card } from '../../parts/card.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { Two } from '../../parts/two.tsx'

const nameOf = (a: AssistantRow) => a.client.name

// Assistants shows the connected assistants. Owners see all assistants of the account, and other people see their own.
export function Assistants() {
  const { data, error, again } = use('GET /app/api/assistants', {}),
    [question, ask] = useAsk()
  const revoke = (a: AssistantRow) =>
    call('DELETE /app/api/assistants/{id}', { path: { id: a.id } }).then(() => toastAndReload(w.revoked(nameOf(a)), 'app'))
  const askToRevoke = (a: AssistantRow) =>
    ask({ title: w.revokeTitle(nameOf(a)), text: w.revokeText, go: w.revoke, danger: true, on: () => revoke(a), wrong: complain })
  const columns: Column<AssistantRow>[] = [
    {
      name: 'client',
      label: w.assistant,
      left: true,
      phone: true,
      kind: 'first',
      cell: a => <Two a={nameOf(a)} b={a.client.host} />,
    },
    { name: 'person', label: w.person, left: true, width: 170, cell: a => a.person.name },
    { name: 'rights', label: w.rights, left: true, width: 160, cell: a => w.names[a.rights] ?? a.rights },
    {
      name: 'used',
      label: w.used,
      left: true,
      width: 150,
      cell: a => <span class={a.used_at ? '' : 'dim'}>{a.used_at ? ago(a.used_at) : w.never}</span>,
    },
    { name: 'since', label: w.since, left: true, width: 160, cell: a => dateTime(a.created_at) },
    {
      name: 'acts',
      label: '',
      phone: true,
      width: 120,
      cell: a => (
        <span class="row fileacts">
          <Button look="sm" aria-label={w.revokeOf(nameOf(a))} onClick={() => askToRevoke(a)} text={w.revoke} />
        </span>
      ),
    },
  ]
  return (
    <Card title={w.assistants} look="report lists assistants">
      {!data ? (
        <Loading of={{ error, again }} height={120} />
      ) : data.rows.length === 0 && !data.enabled ? (
        <Empty title={w.off} more={w.offMore} />
      ) : data.rows.length === 0 ? (
        <Empty title={w.empty} more={w.emptyMore}>
          <Copy label={w.address} text={`${location.origin}/mcp`} />
        </Empty>
      ) : (
        <>
          {!data.enabled && (
            <p class="warn part" role="status">
              {w.off} {w.offMore}
            </p>
          )}
          <Table label={w.assistants} rows={data.rows} columns={columns} keyOf={a => a.id} nameOf={nameOf} height={44} />
        </>
      )}
      {question}
    </Card>
  )
}
