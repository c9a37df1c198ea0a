import type { ComponentChildren } from 'preact'
import { can } from '../core/me.ts'
import { w } from '../text/people.ts'
import { Empty } from './state.tsx'

// Owners shows its content to owners only. Other people, who may have come by a link, see the reason why there is nothing.
export const Owners = ({ children }: { children: ComponentChildren }) =>
  can('owner') ? (
    <>{children}</>
  ) : (
    <section class="card">
      <Empty title={w.ownersOnly}>
        <p class="dim">{w.ownersOnlyMore}</p>
      </Empty>
    </section>
  )
