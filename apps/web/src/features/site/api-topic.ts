import { apiReferenceTexts } from '../../texts/api-reference.tsx'

const texts = apiReferenceTexts.apiTopic

export const apiTopics = ['Authentication', 'Users', 'Subscriptions', 'Alerts', 'WebSocket'] as const
export type ApiTopic = (typeof apiTopics)[number]

/** What the tabs say; the topics themselves are the tags of the server's document. */
export const topicWords: Record<ApiTopic, string> = {
  Authentication: texts.authentication,
  Users: texts.users,
  Subscriptions: texts.subscriptions,
  Alerts: texts.alerts,
  WebSocket: 'WebSocket',
}

/** The tab that the address names, else the first. */
export function readApiTopic(search: { topic?: unknown }): ApiTopic {
  return apiTopics.find((topic) => topic === search.topic) ?? 'Authentication'
}
