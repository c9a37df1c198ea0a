import type { CopilotBody } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { touches } from '../../core/query.ts'
import { failed, toast } from '../../core/toast.ts'

const changedRows = ['copilot', 'campaigns', 'offers', 'networks', 'bot-lists', 'app']

// act sends a person's decision and shows the text `done`. If `undone` is given and the answer names a change, the toast offers to
// undo the change. `undone` is the text that is shown after the undo. If the call fails, act throws its error.
export const act = async (body: CopilotBody, done: string, undone?: string) => {
  const answer = await call('POST /copilot', { body })
  touches(...changedRows)
  toast(done, answer.change_id && undone ? { undo: () => act({ action: 'undo', id: answer.change_id! }, undone).catch(failed) } : {})
  return answer
}
