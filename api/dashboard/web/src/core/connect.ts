// Helpers that the screens of connections share.
import { can } from './me.ts'
import { change } from './router.ts'
import { w } from '../text/integrations.ts'
import { explained } from './errors.ts'
import { toast } from './toast.ts'

export const mayConnect = () => can('member')
export const errorText = (e: unknown) => explained(e, w.codes)
export const showError = (e: unknown) => toast(errorText(e), { bad: true })
// openConnection puts a connection into the page's address, which opens the connection's sheet and closes any other.
// openConnection({}) closes all.
export const openConnection = (connection: Record<string, string | null>) =>
  change({ dns: null, network: null, source: null, ...connection }, true)
