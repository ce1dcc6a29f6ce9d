export const apiTopics = ['Authentication', 'Users', 'Subscriptions', 'Alerts', 'WebSocket'] as const
export type ApiTopic = (typeof apiTopics)[number]

/** Tab labels. The topics are the tags of the OpenAPI document. */
export const topicLabels: Record<ApiTopic, string> = {
  Authentication: 'Authentication',
  Users: 'Users',
  Subscriptions: 'Subscriptions',
  Alerts: 'Alerts',
  WebSocket: 'WebSocket',
}

/** The topic in the URL, else the first one. */
export function readApiTopic(search: { topic?: unknown }): ApiTopic {
  return apiTopics.find((topic) => topic === search.topic) ?? 'Authentication'
}
