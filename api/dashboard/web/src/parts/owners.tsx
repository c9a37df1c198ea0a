import type { ComponentChildren } from 'preact'
import { EmptyCard } from './state.tsx'
import { can } from '../core/me.ts'
import { w } from '../text/people.ts'

// Owners shows its content to owners only. Other people, who may have come by a link, see the reason why there is nothing.
export const Owners = ({ children }: { children: ComponentChildren }) =>
  can('owner') ? <>{children}</> : <EmptyCard title={w.ownersOnly} more={w.ownersOnlyMore} />
