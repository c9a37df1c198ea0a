// Fills new sources and networks from templates, and exchanges templates with other accounts as files.
import { useState } from 'preact/hooks'
import { asError, call, type Row } from '../../core/call.ts'
import { change, to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { recordWords } from '../../text/records.ts'
import { failed, toastAndReload, toast } from '../../core/toast.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { DropArea } from '../../parts/drop.tsx'
import type { Draft } from '../../parts/record_form.tsx'

type Shared = 'traffic-sources' | 'networks'
type Choice = { value: string; label: string; page: string; readOn: string; draft: Draft }

type Props = { kind: Shared; list: Choice[] | undefined; label: string; onPick: (d: Draft | undefined) => void }

// Template fills a new record with the known settings of a platform or a network, or creates the record from a template file.
export function Template({ kind, list, label, onPick }: Props) {
  const [chosen, setChosen] = useState(''),
    found = list?.find(o => o.value === chosen)
  return (
    <section class="part">
      <div class="field">
        <span class="label">{label}</span>
        <Combobox
          label={label}
          value={chosen}
          placeholder={recordWords.fromNothing}
          choices={list && [{ value: '', label: recordWords.fromNothing }, ...list]}
          clear
          empty={
            kind === 'networks' ? (
              <span>
                {recordWords.noNetworkTemplate}{' '}
                <a class="link" href={to('/app/goals')}>
                  {recordWords.ownShop}
                </a>
              </span>
            ) : (
              recordWords.noTemplate
            )
          }
          on={v => {
            setChosen(v)
            onPick(list?.find(o => o.value === v)?.draft)
          }}
        />
        {found?.page && (
          <a class="link" href={found.page} target="_blank" rel="noreferrer">
            {recordWords.templateRead(found.readOn)}
          </a>
        )}
      </div>
      <DropArea label={recordWords.chooseTemplate} accept=".json,application/json" onFile={file => void load(kind, file)}>
        {recordWords.loadTemplate}
      </DropArea>
    </section>
  )
}

type TemplateFile = { kind?: string; template?: { name?: string } }

const kinds: Record<string, Shared> = { traffic_source: 'traffic-sources', network: 'networks' }

// load creates a record from a template file and opens the record.
async function load(kind: Shared, file: File) {
  let body: TemplateFile
  try {
    body = JSON.parse(await file.text()) as TemplateFile
  } catch {
    toast(recordWords.notTemplate(file.name), { bad: true })
    return
  }
  const other = kinds[body.kind ?? '']
  if (other && other !== kind) {
    toast(recordWords.otherTemplate(file.name, t.kinds[other === 'networks' ? 'networks' : 'sources'].title), { bad: true })
    return
  }
  await create(kind, body).then(made => {
    toastAndReload(recordWords.saved(made.name), kind, 'tools')
    change({ id: made.id }, true)
  }, failed)
}

// maxCopies is how many names are tried for a new record while the name is taken.
const maxCopies = 20

// create makes the record. If its name is taken, a number is added to the name.
async function create(kind: Shared, body: TemplateFile, copy = 1): Promise<{ id: string; name: string }> {
  const name = body.template?.name,
    named = copy > 1 ? { ...body, template: { ...body.template, name: `${name} ${copy}` } } : body
  try {
    return await (call(`POST /${kind}/import` as Row, { body: named } as never) as Promise<{ id: string; name: string }>)
  } catch (e) {
    if (asError(e).code !== 'duplicate_name' || copy === maxCopies) throw e
    return create(kind, body, copy + 1)
  }
}

// saveFile downloads a record as a template file for other accounts.
export const saveFile = (kind: Shared, r: { id: string; name: string }) =>
  call(`GET /${kind}/{id}/template` as Row, { path: { id: r.id } } as never).then(template => {
    const url = URL.createObjectURL(new Blob([JSON.stringify(template, null, 2) + '\n'], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = url
    link.download = r.name.replace(/[^\p{L}\p{N}]+/gu, '-') + '.json'
    link.click()
    URL.revokeObjectURL(url)
  }, failed)
