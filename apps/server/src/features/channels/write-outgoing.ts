import type { Context } from '../../context.ts'
import type { Delivered } from '../../issued-deliveries.ts'
import { writeDigest } from './digest.ts'
import { type AlertMessage, writeAlert } from './kinds/message.ts'
import type { Outgoing } from './send.ts'
import { createLinkToken } from './signed-link.ts'
import type { DueChannelDelivery } from './store.ts'

/**
 * Writes the message of a delivery, or of the digest that the row represents.
 * @param delivered the alert of the delivery, or all alerts of the digest
 */
export function writeOutgoing({ config }: Context, delivery: DueChannelDelivery, delivered: Delivered[]): Outgoing {
  const { destinationId, logIndex, event, digestId, isRedelivery } = delivery
  // A step that the owner has requested again is not shown as an escalation, because the alert may
  // be acknowledged by now.
  const isEscalation = delivery.isEscalation && !isRedelivery
  const { publicUrl } = config.http
  const id = `msg_${destinationId}_${logIndex}`
  const [first] = delivered
  if (digestId !== null || !first) {
    return writeDigest(delivered.length === 1 ? id : `${id}_digest`, delivered, publicUrl)
  }
  const { alert, isOutcome } = first
  const isCritical = event === 'alert' && alert.kind === 'alert' && alert.priority === 'critical'
  const token = () => createLinkToken(config, 'acknowledge', destinationId, logIndex)
  const acknowledge = isCritical ? { acknowledgeUrl: `${publicUrl}/api/channels/acknowledgements/${token()}` } : {}
  return {
    id: event === 'anchored' ? `${id}_anchored` : id,
    type: isOutcome ? 'alert.outcome' : event === 'anchored' ? 'alert.anchored' : 'alert.created',
    data: {
      logIndex,
      alert,
      link: `${publicUrl}/a/${alert.logIndex}`,
      ...(isEscalation ? { isEscalation } : {}),
      ...acknowledge,
    },
    message: {
      alert:
        isCritical || isEscalation
          ? writeAlert({ alert, logIndex, isOutcome, publicUrl, isEscalation, ...acknowledge })
          : writeOnce(first, publicUrl),
    },
  }
}

const messagesByAlert = new WeakMap<Delivered, AlertMessage>()

/**
 * Caches the message of an alert: deliveries that are read together share the alert, and most have
 * the same message.
 */
function writeOnce(delivered: Delivered, publicUrl: string): AlertMessage {
  const known = messagesByAlert.get(delivered)
  if (known) return known
  const { alert, logIndex, isOutcome } = delivered
  const message = writeAlert({ alert, logIndex, isOutcome, publicUrl })
  messagesByAlert.set(delivered, message)
  return message
}
