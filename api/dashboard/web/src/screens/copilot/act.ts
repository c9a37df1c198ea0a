import type { CopilotBody } from '../../api.gen.ts'
import { call } from '../../core/call.ts'
import { touches } from '../../core/query.ts'
import { failed, toast } from '../../core/toast.ts'

const changes = ['copilot', 'campaigns', 'offers', 'networks', 'bot-lists', 'app']

// act sends a person's decision. The caller shows the error if it fails.
export const act = async (body: CopilotBody, done: string, undo?: string) => {
  const answer = await call('POST /copilot', { body })
  touches(...changes)
  toast(done, answer.change_id && undo ? { undo: () => act({ action: 'undo', id: answer.change_id! }, undo).catch(failed) } : {})
  return answer
}
