// Fills new sources and networks from templates, and exchanges templates with other accounts as files.
import { useState } from 'preact/hooks'
import { call, type Row } from '../../core/call.ts'
import { touches } from '../../core/query.ts'
import { change } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { failed, toast } from '../../core/toast.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { DropArea } from '../../parts/drop.tsx'
import type { Draft } from '../../parts/record_form.tsx'

type Shared = 'traffic-sources' | 'networks'
type Choice = { value: string; label: string; page: string; readOn: string; draft: Draft }

// Template fills a new record with the known settings of a platform or a network, or makes the record of a template file.
export function Template({
  kind,
  list,
  label,
  take,
}: {
  kind: Shared
  list: Choice[] | undefined
  label: string
  take: (d: Draft) => void
}) {
  const [chosen, setChosen] = useState(''),
    found = list?.find(o => o.value === chosen)
  return (
    <section class="part">
      <div class="field">
        <span class="label">{label}</span>
        <Combobox
          label={label}
          value={chosen}
          placeholder={t.records.fromNothing}
          choices={list}
          on={v => {
            setChosen(v)
            const next = list?.find(o => o.value === v)
            if (next) take(next.draft)
          }}
        />
        {found?.page && (
          <a class="link" href={found.page} target="_blank" rel="noreferrer">
            {t.records.templateRead(found.readOn)}
          </a>
        )}
      </div>
      <DropArea label={t.records.chooseTemplate} accept=".json,application/json" take={file => void load(kind, file)}>
        {t.records.loadTemplate}
      </DropArea>
    </section>
  )
}

// load makes a record of a template file and opens it.
async function load(kind: Shared, file: File) {
  let body: object
  try {
    body = JSON.parse(await file.text()) as object
  } catch {
    toast(t.records.notTemplate(file.name), { bad: true })
    return
  }
  await (call(`POST /${kind}/import` as Row, { body } as never) as Promise<{ id: string; name: string }>).then(made => {
    touches(kind, 'tools')
    toast(t.records.saved(made.name))
    change({ id: made.id }, true)
  }, failed)
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
