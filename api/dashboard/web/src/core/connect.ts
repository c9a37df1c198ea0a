// Helpers that the screens of connections share.
import { asError } from './call.ts'
import { can } from './me.ts'
import { change } from './router.ts'
import { w } from '../text/integrations.ts'
import { sentence } from './errors.ts'
import { toast } from './toast.ts'

export const mayConnect = () => can('member')
// said returns the text that explains an error of a connection.
export const said = (e: unknown) => {
  const error = asError(e)
  return w.codes[error.code] ?? sentence(error)
}
// refused shows an error of a connection as a toast.
export const refused = (e: unknown) => toast(said(e), { bad: true })
export const show = (of: Record<string, string | null>) => change({ dns: null, network: null, source: null, ...of }, true)
