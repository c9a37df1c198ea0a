import type { CopilotBody } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { touches } from '../../core/query.ts'
import { failed, toast } from '../../core/toast.ts'

const changedRows = ['copilot', 'campaigns', 'offers', 'networks', 'bot-lists', 'app']

// act sends a person's decision and shows the text `done`. If `undone` is given, the toast offers to undo the change, and
// `undone` is the text that is shown after that. If the call fails, the caller shows the error.
export const act = async (body: CopilotBody, done: string, undone?: string) => {
  const answer = await call('POST /copilot', { body })
  touches(...changedRows)
  toast(done, answer.change_id && undone ? { undo: () => act({ action: 'undo', id: answer.change_id! }, undone).catch(failed) } : {})
  return answer
}
