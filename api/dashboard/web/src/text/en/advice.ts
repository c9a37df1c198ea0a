// What to do about alerts, by their type, and what was noticed. The service's own texts are English, so nothing is translated here.
import type { Alert } from '../../api.gen.ts'

const does: Record<string, string> = {}
const asSent = (_: Alert['type'], message: string) => message
export const words = { does, seen: asSent, detail: asSent }
