// What a person's role and the plan allow. The service decides; this hides what it would refuse.
import { can } from './me.ts'

export const canWrite = () => can('contributor')
export const canCreateCampaigns = () => can('member')
