import { Fragment } from 'preact'
import { me } from '../../core/me.ts'
import { to } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { groups, signOut, PersonHead, Rooms, watching, setAccount, Themes } from '../../parts/shell.tsx'

// More shows, on a phone, the navigation that wider screens have at the side.
export function More() {
  const who = me.value!
  return (
    <>
      <nav class="card more nav rooms" aria-label={t.nav.screens}>
        <Rooms of={watching.filter(r => !r.phone)} />
        {groups.map(g => (
          <Fragment key={g.id}>
            <h2 class="label">{g.name}</h2>
            <Rooms of={g.of.filter(r => !r.phone)} />
          </Fragment>
        ))}
      </nav>
      <section class="card list more">
        <PersonHead />
        {who.accounts.length > 1 &&
          who.accounts.map(a => (
            <button key={a.id} class="item" aria-pressed={a.id === who.account.id} onClick={() => void setAccount(a.id)}>
              {a.name}
            </button>
          ))}
        <Themes />
        <a class="item" href={to('/app/me')}>
          {t.rooms.me}
        </a>
        <a class="item" href="/docs" target="_blank" rel="noreferrer">
          {t.nav.api}
        </a>
        <a class="item" href="/app/licences">
          {t.nav.licences}
        </a>
        <button class="item" onClick={() => void signOut()}>
          {t.nav.signOut}
        </button>
      </section>
    </>
  )
}
