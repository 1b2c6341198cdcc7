mod far_port;
mod one_sided;
