import { useEffect, useRef, useState } from 'preact/hooks'
import type { ViewReport, ViewRow } from '../../api.gen.ts'
import { useAttempt } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { touches, use } from '../../core/query.ts'
import { isBare, reportOf, setReport, type Ask as Question } from '../../core/report.ts'
import { change, place } from '../../core/router.ts'
import { FormError, Switch, wrongOf, type Wrong, InputField } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Item, Menu, Tick } from '../../parts/menu.tsx'
import { Ask, FormSheet } from '../../parts/sheet.tsx'
import { failed, toast } from '../../core/toast.ts'
import { t } from '../../core/text.ts'
import { w } from '../../text/views.ts'

type Asking = { kind: 'new' } | { kind: 'rename' | 'remove'; view: ViewRow }
const changed = () => touches('app')
const same = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)
const patch = (v: ViewRow, body: object, message: string) =>
  call('PATCH /app/api/views/{id}', { path: { id: v.id }, body }).then(() => {
    changed()
    toast(message)
  }, failed)

const setDefault = (v?: ViewRow) =>
  call('PUT /app/api/views/default', { body: { view: v?.id ?? null } }).then(() => {
    changed()
    toast(v ? w.isDefault(v.name) : w.noDefault)
  }, failed)

// Views opens, saves and shares views of reports. It opens the person's default view if the address has no settings of the report.
export function Views({ ask }: { ask: Question }) {
  const { data } = use('GET /app/api/views', {}),
    [dialog, setDialog] = useState<Asking>(),
    mayOpenDefault = useRef(isBare())
  const rows = data?.rows ?? [],
    at = rows.find(v => v.id === place.value.query.get('view')),
    now = reportOf(ask),
    differs = !!at && !same(at.report, now)
  useEffect(() => {
    if (!data || !mayOpenDefault.current) return
    mayOpenDefault.current = false
    const first = data.rows.find(v => v.id === data.default)
    if (first && isBare()) setReport(first.report, first.id, true)
  }, [data])
  return (
    <>
      <Menu
        name={w.views}
        kind={'btn viewbtn' + (at ? ' on' : '')}
        icon="pin"
        label={
          <>
            <span class="cut">{at ? at.name : w.views}</span>
            {differs && <span class="dim">{w.changed}</span>}
          </>
        }>
        {close => (
          <div class="viewlist">
            {rows.length === 0 && (
              <div class="head">
                <b>{w.none}</b>
                <span class="dim">{w.noneMore}</span>
              </div>
            )}
            <div class="searches">
              {[false, true].map(shared => (
                <Group
                  key={String(shared)}
                  name={shared ? w.shared : w.own}
                  of={rows.filter(v => v.shared === shared)}
                  at={at}
                  first={data?.default}
                  close={close}
                />
              ))}
            </div>
            <Actions at={at} now={now} isDefault={at?.id === data?.default} close={close} open={setDialog} />
          </div>
        )}
      </Menu>
      {dialog && <Dialog of={dialog} now={now} close={() => setDialog(undefined)} />}
    </>
  )
}

type GroupProps = { name: string; of: ViewRow[]; at?: ViewRow; first?: string | null; close: () => void }

// Group lists views to open. `first` is the default view.
const Group = ({ name, of, at, first, close }: GroupProps) =>
  of.length > 0 && (
    <>
      <div class="head">
        <span class="dim">{name}</span>
      </div>
      {of.map(v => (
        <Item key={v.id} pressed={v.id === at?.id} close={close} on={() => setReport(v.report, v.id)}>
          <Tick on={v.id === at?.id} />
          <span class="cut">{v.name}</span>
          <span class="grow" />
          {v.id === first && (
            <span class="dim fine" title={w.opens}>
              <Icon name="pin" />
              <span class="hidden">{w.opens}</span>
            </span>
          )}
          {!v.mine && <span class="dim fine cut">{w.by(v.author)}</span>}
        </Item>
      ))}
    </>
  )

type ActionsProps = {
  at?: ViewRow
  now: ViewReport
  isDefault: boolean
  close: () => void
  open: (d: Asking) => void
}

// Actions are what a person can do with the report that is shown and the view that is open.
function Actions({ at, now, isDefault, close, open }: ActionsProps) {
  const differs = !!at && !same(at.report, now),
    then = (on: () => void) => () => {
      close()
      on()
    }
  return (
    <div class="acts2">
      {at && differs && <Item on={then(() => setReport(at.report, at.id))}>{w.reset}</Item>}
      {at?.may_change && differs && (
        <Item on={then(() => void patch(at, { report: now }, w.saved(at.name)))}>
          <b>{w.save}</b>
        </Item>
      )}
      <Item on={then(() => open({ kind: 'new' }))}>{w.saveAs}</Item>
      {at && <Item on={then(() => void setDefault(isDefault ? undefined : at))}>{isDefault ? w.dropDefault : w.makeDefault}</Item>}
      {at?.may_change && (
        <>
          <Item on={then(() => open({ kind: 'rename', view: at }))}>{w.rename}</Item>
          {canWrite() && (
            <Item on={then(() => void patch(at, { shared: !at.shared }, at.shared ? w.isOwn(at.name) : w.isShared(at.name)))}>
              {at.shared ? w.unshare : w.share}
            </Item>
          )}
          <Item on={then(() => open({ kind: 'remove', view: at }))}>
            <span class="bad">{w.remove}</span>
          </Item>
        </>
      )}
    </div>
  )
}

// Dialog asks for the name of a view, or whether to delete it.
const Dialog = ({ of, now, close }: { of: Asking; now: ViewReport; close: () => void }) =>
  of.kind === 'new' ? (
    <Named
      title={w.newTitle}
      share
      close={close}
      save={(name, shared) =>
        call('POST /app/api/views', { body: { name, shared, report: now } }).then(v => {
          changed()
          change({ view: v.id }, true)
          toast(w.saved(v.name))
        })
      }
    />
  ) : of.kind === 'rename' ? (
    <Named
      title={w.renameTitle}
      name={of.view.name}
      close={close}
      save={name =>
        call('PATCH /app/api/views/{id}', { path: { id: of.view.id }, body: { name } }).then(v => {
          changed()
          toast(w.saved(v.name))
        })
      }
    />
  ) : (
    <Ask
      title={w.removeTitle}
      text={w.removeText(of.view.name, of.view.shared)}
      go={t.lists.remove}
      danger
      close={close}
      on={() =>
        call('DELETE /app/api/views/{id}', { path: { id: of.view.id } }).then(() => {
          changed()
          change({ view: null }, true)
          toast(w.removed(of.view.name))
        })
      }
    />
  )

type NamedProps = {
  title: string
  name?: string
  share?: boolean
  close: () => void
  save: (name: string, shared: boolean) => Promise<unknown>
}

const explain = (e: unknown): Wrong => {
  const error = asError(e)
  if (error.code === 'duplicate_name') return { field: 'name', text: w.taken }
  return error.code === 'too_many' ? { text: w.many } : wrongOf(error, ['name'])
}

function Named({ title, name = '', share, close, save }: NamedProps) {
  const [text, setText] = useState(name),
    [shared, setShared] = useState(false),
    { busy, wrong, setWrong, run } = useAttempt(explain)
  const send = async () => {
    if (!text.trim()) return setWrong({ field: 'name', text: w.needsName })
    await run(async () => {
      await save(text.trim(), shared)
      close()
    })
  }
  return (
    <FormSheet title={title} close={close} keep={() => text !== name} go={t.parts.save} off={busy} send={send}>
      <InputField
        label={t.overview.name}
        error={wrong?.field === 'name' ? wrong.text : undefined}
        value={text}
        maxLength={80}
        on={v => {
          setText(v)
          setWrong(undefined)
        }}
      />
      {share && canWrite() && <Switch shown on={shared} set={setShared} label={w.sharedSwitch} />}
      <FormError wrong={wrong} />
    </FormSheet>
  )
}
