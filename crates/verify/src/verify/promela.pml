/* Two directions of a card: its host, its three engines, and a peer that sends and takes whenever it likes.
 * A packet is known by its number; one more than a number's arrays hold keeps an index in range. */

/* With -DPLAIN formulas are judged alone. */
#ifdef PLAIN
#define check(x) skip
#else
#define check(x) assert(x)
#endif

#define NONE 4
#define RESTS 0
#define WORKS 1
#define ENDED 2

mtype = { Idle, Sdma, Sdma_Done, Coarse_Grained_Send, Fine_Grained_Send, Fine_Grained_Send_Done,
          Send_Last_Fragment, Send_Done, Recv, Recv_Done, Coarse_Grained_Rdma, Fine_Grained_Rdma,
          Fine_Grained_Rdma_Done, Rdma_Last_Fragment, Rdma_Done };
mtype SDMA_state = Idle;
mtype SEND_state = Idle;
mtype RECV_state = Idle;
mtype RDMA_state = Idle;

/* The dispatcher: who runs, who ran last. */
byte running = NONE;
byte last = RDMA;

/* What the firmware knows of the engines. */
byte host = RESTS;
byte send = RESTS;
byte receive = RESTS;

/* Messages of the host: how long, how many are posted, which is read, how much of it has been asked for. */
byte length[MESSAGES + 1];
byte posted, reading, asked;

/* Packets in send buffers: from the first to before the end. */
byte out_length[PACKETS + 1], out_landed[PACKETS + 1], out_taken[PACKETS + 1];
bool out_filled[PACKETS + 1];
byte out_first, out_end;

/* Packets in receive buffers. */
byte in_landed[PACKETS + 1], in_taken[PACKETS + 1];
bool in_ended[PACKETS + 1], in_filled[PACKETS + 1];
byte in_first, in_end;
bool coming;

/* What the engines are at: which packet, where, up to where. */
bool reads;
byte host_packet, host_at, host_to;
byte send_packet, send_at, send_to;
bool send_last;

/* The peer: how many packets it has begun, how long this one is, how much of it has crossed. */
byte begun, peer_length, crossed;
bool on_link;
/* What it has taken: packets that ended. */
byte taken_whole;

/* How often each has seen the other start the host engine, while it wanted it. */
byte sdma_passed, rdma_passed;

#define sdma (SDMA_state == Sdma)
#define coarse_rdma (RDMA_state == Coarse_Grained_Rdma)
#define fine_rdma (RDMA_state == Fine_Grained_Rdma)
#define last_rdma (RDMA_state == Rdma_Last_Fragment)
#define coarse_send (SEND_state == Coarse_Grained_Send)
#define fine_send (SEND_state == Fine_Grained_Send)
#define recv (RECV_state == Recv)
#define within_out (sdma && SEND_state != Idle && SEND_state != Fine_Grained_Send_Done && out_landed[out_first] < out_length[out_first])
#define within_in (recv && RDMA_state != Idle && RDMA_state != Fine_Grained_Rdma_Done && !in_ended[in_first])
#define over (posted == MESSAGES && reading == MESSAGES && begun == PEER_PACKETS && !on_link && !coming && \
              SDMA_state == Idle && SEND_state == Idle && RECV_state == Idle && RDMA_state == Idle && \
              out_first == out_end && in_first == in_end && taken_whole == out_end && in_end == PEER_PACKETS)
