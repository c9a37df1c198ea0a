// The English texts about alerts. The service's own texts are English, so they are shown unchanged.
import type { Alert } from '../../api.gen.ts'

const does: Record<string, string> = {}
const asSent = (_: Alert['type'], message: string) => message
export const words = { does, seen: asSent, detail: asSent }
