    /* The host posts. */
    :: atomic { posted < MESSAGES -> if POST_LENGTHS fi; posted++ }
    /* The host engine moves a unit; it ends. */
    :: atomic { host == WORKS && host_at < host_to ->
         if
         :: reads -> host_at++; out_landed[host_packet] = host_at
         :: else -> check(host_at < in_landed[host_packet]); host_at++
         fi }
    :: atomic { host == WORKS && host_at >= host_to -> host = ENDED }
    /* A unit leaves for the peer; the send engine ends. */
    :: atomic { send == WORKS && send_at < send_to -> check(send_at < out_landed[send_packet]); send_at++ }
    :: atomic { send == WORKS && send_at >= send_to ->
         send = ENDED;
         if
         :: send_last -> check(send_to == out_length[send_packet]); taken_whole++
         :: else -> skip
         fi }
    /* The peer begins a packet; a unit of it comes; its end comes. */
    :: atomic { begun < PEER_PACKETS && !on_link -> if PEER_LENGTHS fi; crossed = 0; begun++; on_link = true; coming = true }
    :: atomic { receive == WORKS && crossed < peer_length -> crossed++; in_landed[in_end - 1] = crossed }
    :: atomic { receive == WORKS && crossed == peer_length ->
         in_ended[in_end - 1] = true; on_link = false; receive = ENDED }
    :: atomic { over -> break }
