# Sourced by the scripts that compare with BookSim2: the configuration of its run, on the standard output. The sample
# begins with an empty network.
booksim2_configuration() { # SIDE FLITS LOAD CYCLES
    cat <<CONFIGURATION
topology = mesh; k = $1; n = 2; routing_function = dor; traffic = uniform;
num_vcs = 4; vc_buf_size = 8; wait_for_tail_credit = 0; packet_size = $2;
vc_allocator = separable_input_first; sw_allocator = separable_input_first; alloc_iters = 1;
routing_delay = 1; vc_alloc_delay = 1; sw_alloc_delay = 1; st_final_delay = 1; credit_delay = 1;
injection_rate = $(awk "BEGIN { print $3 / $2 }"); sim_type = throughput; sim_count = 1;
warmup_periods = 0; sample_period = $4; max_samples = 1; latency_thres = 1000000.0;
CONFIGURATION
}
